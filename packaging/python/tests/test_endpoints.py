"""Every endpoint of the SDKs with a guard and without one, against a server that judges the body that arrives.

packaging/test-endpoints.sh runs this with old and new versions of the SDKs.
"""

import asyncio
import importlib
import importlib.metadata
import inspect
import json
import logging
import pathlib
import warnings

import pytest

import replaylint
from replaylint import _native
from endpoints import CONVERSATIONS, NOT_GUARDED, TABLE
from provider import Recorder, refusal

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/python-endpoints.md"
# What each kind of client is of.
PACKAGES = {"azure": "openai", "anthropic-bedrock": "anthropic", "anthropic-vertex": "anthropic"}
DIALECTS = dict(_native.endpoints())
AWS = {"aws_access_key": "none", "aws_secret_key": "none", "aws_region": "us-east-1"}


def module(sdk):
    name = PACKAGES.get(sdk, sdk)
    return pytest.importorskip("google.genai" if name == "google-genai" else name)


def make(sdk, url, kind=""):
    """A client for a server; `kind` is Async for one of asyncio."""
    package = module(sdk)
    if sdk == "openai":
        return getattr(package, f"{kind}OpenAI")(api_key="none", base_url=url + "/v1", max_retries=0)
    if sdk == "azure":
        azure = getattr(package, f"{kind}AzureOpenAI")
        return azure(api_key="none", azure_endpoint=url, api_version="2025-03-01-preview", max_retries=0)
    if sdk == "anthropic":
        return getattr(package, f"{kind}Anthropic")(api_key="none", base_url=url, max_retries=0)
    if sdk == "anthropic-bedrock":
        pytest.importorskip("botocore")
        return getattr(package, f"{kind}AnthropicBedrock")(**AWS, base_url=url, max_retries=0)
    if sdk == "anthropic-vertex":
        pytest.importorskip("google.auth")
        vertex = getattr(package, f"{kind}AnthropicVertex")
        return vertex(region="us-east5", project_id="p", access_token="none", base_url=url, max_retries=0)
    if sdk == "google-genai":
        client = package.Client(api_key="none", http_options={"base_url": url})
        return client.aio if kind else client
    config = importlib.import_module("botocore.config").Config(retries={"total_max_attempts": 1})
    keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none", "region_name": "us-east-1"}
    return package.client("bedrock-runtime", endpoint_url=url, config=config, **keys)


def exists(client, name):
    """True if this version has the method."""
    if name == "batches.create" and version("google-genai") < (1, 20):
        # It takes the name of a file only.
        return False
    for part in name.removeprefix("with_options(...).").split("(")[0].split(":")[0].split("."):
        client = getattr(client, part, None)
    return client is not None


def version(package):
    return tuple(int(number) for number in importlib.metadata.version(package).split(".")[:2])


def send(how, client, kind):
    """Sends a request, which the server refuses."""
    sync, asynchronous = how() if callable(how) else how
    with pytest.raises(Exception) as raised:
        asyncio.run(asynchronous(client)) if kind else sync(client)
    return raised.value


def rows():
    kinds = [(row, kind) for row in TABLE for kind in ("", "Async") if not (kind and row[0] == "boto3")]
    return [pytest.param(*row, kind, id=f"{row[0]} {row[1]} {kind or 'sync'}") for row, kind in kinds]


@pytest.mark.parametrize(("sdk", "name", "endpoint", "how", "pointer", "kind"), rows())
def test_each_endpoint_is_guarded(sdk, name, endpoint, how, pointer, kind, caplog):
    caplog.set_level(logging.INFO)
    verdicts = {}
    for guarded in (False, True):
        with Recorder() as server:
            client = make(sdk, server.url, kind)
            if not exists(client, name):
                pytest.skip(f"{sdk} has no {name} in this version")
            if guarded:
                replaylint.Guard(client)
            error = send(how, client, kind)
            assert len(server.received) == 1, error
            path, headers, body = server.received[0]
        assert _native.endpoint(server.url + path) == endpoint
        assert "transfer-encoding" not in headers
        options = ["--pointer", pointer] if pointer else []
        if sdk == "google-genai":
            # Older models accept such a history; the path says which it is.
            options += ["--model", "gemini-3-pro-preview"]
        verdicts[guarded] = refusal(body, f"{DIALECTS[endpoint]}-request", *options)
        if "bedrock" in sdk or sdk == "boto3":
            assert is_signed_for(path, headers, body, server.url)
    # Without a guard the API would refuse it.
    assert verdicts[False] is not None
    assert verdicts[True] is None, body
    said = [record.getMessage() for record in caplog.records if record.name == "replaylint.guard"]
    assert said and all(each.startswith("repaired: ") for each in said), said


def is_signed_for(path, headers, body, url):
    """True if the signature of AWS is that of the body that arrived."""
    auth = importlib.import_module("botocore.auth")
    requests = importlib.import_module("botocore.awsrequest")
    keys = importlib.import_module("botocore.credentials").Credentials("none", "none")
    known = dict(part.split("=", 1) for part in headers["Authorization"].split(" ", 1)[1].split(", "))
    _, _, region, service, _ = known["Credential"].split("/")
    signed = {name: headers[name] for name in known["SignedHeaders"].split(";")}
    request = requests.AWSRequest(method="POST", url=url + path, data=body, headers=signed)
    request.context["timestamp"] = headers["X-Amz-Date"]
    signer = auth.SigV4Auth(keys, service, region)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    return signer.signature(text, request) == known["Signature"]


@pytest.mark.parametrize("sdk", ["openai", "anthropic", "google-genai", "boto3"])
def test_each_method_that_takes_a_conversation_is_in_a_list(sdk):
    client = make(sdk, "http://127.0.0.1:1")
    package = {"google-genai": "google.genai"}.get(sdk, sdk)
    found = set(operations(client)) if sdk == "boto3" else set(methods(client, package))
    known = {name.split("(")[0].split(":")[0] for kind, name, *_ in TABLE if kind == sdk}
    known |= {name.split(" ", 1)[1] for name in NOT_GUARDED if name.startswith(sdk + " ")}
    assert found - known == set()
    assert len(found) >= (5 if sdk == "boto3" else 4)


def methods(client, package, path="", seen=()):
    """The methods of a client and its resources that take something with the name of a conversation."""
    for name in dir(client):
        if name.startswith(("_", "with_")) or name in ("aio", "parent_ref"):
            continue
        with warnings.catch_warnings():
            # Some resources say that they are experimental.
            warnings.simplefilter("ignore")
            try:
                member = getattr(client, name)
            except Exception:
                # One that this client has not: of Google's clouds, of AWS.
                continue
        if inspect.ismethod(member):
            try:
                names = set(inspect.signature(member).parameters)
            except (TypeError, ValueError):
                continue
            # The client's own are those of HTTP.
            if path and names & CONVERSATIONS:
                yield path + name
        elif type(member).__module__.startswith(package) and type(member) not in seen and len(seen) < 6:
            yield from methods(member, package, f"{path}{name}.", (*seen, type(member)))


def operations(client):
    xform_name = importlib.import_module("botocore").xform_name
    for name in client.meta.service_model.operation_names:
        shape = client.meta.service_model.operation_model(name).input_shape
        if shape is not None and set(shape.members) & (CONVERSATIONS | {"body"}):
            yield xform_name(name)


def test_the_page_has_the_table():
    names = {"azure": "openai (Azure)", "anthropic-bedrock": "anthropic (Bedrock)", "anthropic-vertex": "anthropic (Vertex)"}
    guarded = [
        f"| {names.get(sdk, sdk)} | `{name}` | `{endpoint}` | {DIALECTS[endpoint]} |" for sdk, name, endpoint, *_ in TABLE
    ]
    others = ["| {} | `{}` | {} |".format(*name.split(" ", 1), why) for name, why in NOT_GUARDED.items()]
    lines = PAGE.read_text().splitlines()
    assert [line for line in lines if line.startswith("| ") and " | `" in line] == guarded + others


def test_other_requests_are_not_touched():
    openai = pytest.importorskip("openai")
    seen = []
    with Recorder() as server:
        client = make("openai", server.url)
        replaylint.Guard(client, on_change=lambda *told: seen.append(told), strict=True)
        for call in (
            lambda: client.embeddings.create(model="text-embedding-3-small", input=["What is the weather?"]),
            lambda: client.files.create(file=("batch.jsonl", b'{"messages": []}'), purpose="batch"),
            lambda: client.responses.create(model="gpt-5", input="What is the weather?"),
            # What was said before is on the server: the output is no orphan.
            lambda: client.responses.create(
                model="gpt-5",
                previous_response_id="resp_1",
                input=[{"type": "function_call_output", "call_id": "call_9", "output": "22"}],
            ),
        ):
            with pytest.raises(openai.BadRequestError):
                call()
        assert len(server.received) == 4 and seen == []
        assert b'name="purpose"' in server.received[1][2]
        assert json.loads(server.received[3][2])["input"][0]["call_id"] == "call_9"


def test_a_thread_that_the_server_holds_is_not_touched():
    module("anthropic")
    result = {"type": "tool_result", "tool_use_id": "toolu_9", "content": "22"}
    body = {"model": "claude-sonnet-5", "max_tokens": 9, "messages": [{"role": "user", "content": [result, {"type": "text", "text": "And?"}]}]}
    with Recorder() as server:
        client = make("anthropic", server.url)
        replaylint.Guard(client)
        for thread in (None, {"type": "continue", "previous_message_id": "msg_1"}):
            with pytest.raises(Exception, match="recorded"):
                client.post("/v1/messages", body={**body, **({"thread": thread} if thread else {})}, cast_to=object)
        first, second = (json.loads(body)["messages"] for _, _, body in server.received)
        assert first != body["messages"] and second == body["messages"]


def test_a_session_of_boto3_guards_the_clients_that_it_makes():
    boto3 = pytest.importorskip("boto3")
    with Recorder() as server:
        session = boto3.Session("none", "none", region_name="us-east-1")
        guard = replaylint.Guard(session)
        row = next(row for row in TABLE if row[:2] == ("boto3", "converse"))
        client = session.client("bedrock-runtime", endpoint_url=server.url)
        send(row[3], client, "")
        guard.off()
        send(row[3], session.client("bedrock-runtime", endpoint_url=server.url), "")
        verdicts = [refusal(body, "bedrock-request") for _, _, body in server.received]
        assert verdicts[0] is None and verdicts[1] is not None
    with pytest.raises(TypeError, match="not a client of"):
        replaylint.Guard(session.client("s3"))


def test_hosts_and_paths_tell_the_target():
    target = {}
    body = {"model": "m", "messages": [{"role": "tool", "tool_call_id": "call_9", "content": "22"}]}
    for url in (
        "https://api.groq.com/openai/v1/chat/completions",
        "https://gateway.example/openai/deployments/d/chat/completions",
        "https://llm.example/v1/chat/completions",
    ):
        checker = _native.RequestChecker(False, {})
        _, _, (report,) = checker.check(url, json.dumps(body).encode())
        target[url.split("/")[2]] = report.targets
    assert target == {"api.groq.com": ["groq"], "gateway.example": ["chat"], "llm.example": ["chat"]}
