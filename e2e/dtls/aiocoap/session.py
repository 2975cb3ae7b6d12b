"""A CoAP client on aiocoap and DTLSSocket (tinydtls), for tests: session.py PORT IDENTITY KEY (text).

Reads /hello, writes a body of 20,000 bytes to /body and reads it back; says the code and the length of each answer.
"""

import asyncio
import sys

import aiocoap

BODY = b"x" * 20_000
ANSWER_SECONDS = 30


async def main(port, identity, key):
    client = await aiocoap.Context.create_client_context(transports=["tinydtls"])
    server = f"coaps://127.0.0.1:{port}"
    credential = {"dtls": {"psk": {"ascii": key}, "client-identity": {"ascii": identity}}}
    client.client_credentials.load_from_dict({f"{server}/*": credential})
    requests = [
        aiocoap.Message(code=aiocoap.GET, uri=f"{server}/hello"),
        aiocoap.Message(code=aiocoap.PUT, uri=f"{server}/body", payload=BODY),
        aiocoap.Message(code=aiocoap.GET, uri=f"{server}/body"),
    ]
    for request in requests:
        answer = await asyncio.wait_for(client.request(request).response, ANSWER_SECONDS)
        print(answer.code.dotted, len(answer.payload), flush=True)
    await client.shutdown()


asyncio.run(main(*sys.argv[1:]))
