// Every endpoint of the table, with each major version of its SDK: refused without the guard, accepted with it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { guardFetch } from "replaylint";

import { ENDPOINTS, SDKS, load } from "./endpoints.mjs";
import { provider } from "./provider.mjs";

let server;
before(async () => (server = await provider()));
after(() => server.close());

for (const { sdk, majors, call, path, run } of ENDPOINTS) {
  for (const major of majors) {
    test(`${sdk} ${major}: ${call}`, async () => {
      const { make, replaced = [] } = SDKS[sdk];
      const modules = await load(sdk, major);
      const own = globalThis.fetch;
      const through = async (fetch) => {
        const seen = server.seen.length;
        if (replaced.includes(major)) globalThis.fetch = fetch;
        const outcome = await Promise.resolve(run(make(modules, { url: server.url, fetch }))).then(() => "answered", (error) => error);
        globalThis.fetch = own;
        return { outcome, seen: server.seen.slice(seen) };
      };

      const bare = await through(own);
      assert.deepEqual(bare.seen.map(({ status }) => status), [400]);
      assert.ok(bare.outcome instanceof Error, "the SDK says that the request was refused");

      const reports = [];
      const guarded = await through(guardFetch(own, { onChange: (report) => reports.push(report) }));
      assert.deepEqual(guarded.seen.map(({ status, rules }) => [status, rules]), [[200, []]]);
      assert.ok(guarded.seen[0].path.endsWith(path), guarded.seen[0].path);
      assert.ok(guarded.seen[0].fits, "the length is that of the body");
      assert.deepEqual(reports.map(({ endpoint, changes }) => [endpoint, changes.length]), [[path.slice(1), 1]]);
      // The answer of this one is in frames of AWS.
      if (path !== "/converse-stream") assert.equal(guarded.outcome, "answered", guarded.outcome.stack);
    });
  }
}
