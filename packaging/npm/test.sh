#!/bin/sh
# Installs the package that build.sh made into an empty folder, and tests it there. Without npm's registry the types, the examples
# and the SDKs are skipped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
package=$(ls "$here"/dist/replaylint-*.tgz 2>/dev/null | tail -n 1)
[ -n "$package" ] || {
    echo "no package: packaging/npm/build.sh makes it" >&2
    exit 2
}

echo "== from the checkout"
(cd "$here" && node --test test/*.test.mjs)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{"private": true, "type": "module"}' >package.json
echo "== installed"
npm install --silent --no-audit --no-fund --offline "$package"
echo '{"model":"gpt-5","input":[{"type":"function_call_output","call_id":"call_1","output":"x"},{"role":"user","content":"Hi"}]}' >body.json
code=0
npx --no-install replaylint check body.json || code=$?
[ "$code" = 1 ] || { echo "check exits with $code" >&2; exit 1; }
npx --no-install replaylint fix -q body.json | npx --no-install replaylint check -q -
node --input-type=module -e 'import { check } from "replaylint"; if (check({ input: [] }).version !== 1) process.exit(1);'
[ -z "$(grep -a -o "$HOME/[a-z.]*" node_modules/replaylint/dist/replaylint_bg.wasm | head -n 1)" ] || {
    echo "the package names a folder of the machine that built it" >&2
    exit 1
}

echo "== types"
if npm install --silent --no-audit --no-fund typescript@7 @types/node@20 >/dev/null 2>&1; then
    cp "$here/test/types.mts" .
    npx --no-install tsc --strict --noEmit --module nodenext --target es2022 --types node types.mts
else
    echo "skipped: no TypeScript"
fi

echo "== guards of systems"
if [ -d node_modules/typescript ]; then
    cp "$root"/examples/typescript/*.ts .
    npx --no-install tsc --strict --module nodenext --target es2022 --types node --outDir systems ./*.ts
    CASES="$root/testdata/guards" node --test systems/
else
    echo "skipped: no TypeScript"
fi

echo "== SDKs"
# Each major version under a name of its own, and the newest one of the AI SDK under its own, too.
sdks=$(node --input-type=module -e '
    const { SDKS, packages } = await import(process.argv[1]);
    for (const [sdk, { majors }] of Object.entries(SDKS)) {
      for (const major of majors) for (const { alias, name, version } of packages(sdk, major)) console.log(`${alias}@npm:${name}@${version}`);
    }
    console.log(`ai@${SDKS.ai.majors[0]}`);' "$here/test/sdk/endpoints.mjs")
# shellcheck disable=SC2086
if npm install --silent --no-audit --no-fund $sdks >/dev/null 2>&1; then
    cp "$here"/test/sdk/*.mjs "$here"/examples/ai-sdk/*.mjs .
    node --test ./*.test.mjs
    if [ -d node_modules/typescript ]; then
        cp "$here/test/sdk/types.mts" sdk-types.mts
        npx --no-install tsc --strict --noEmit --skipLibCheck --module nodenext --target es2022 --types node sdk-types.mts
    fi
else
    echo "skipped: no SDKs"
fi
