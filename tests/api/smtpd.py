"""A mail server that fails on command, for the tests of mail.

    smtpd.py FOLDER PORT [--starttls CERT KEY | --tls CERT KEY] [--password NAME:WORD]

It prints its port and serves until its standard input ends. Before each step it reads FOLDER/mood:

    accept          accepts the mail, as FOLDER/<number>.eml
    mail CODE       refuses the sender        rcpt CODE    refuses the recipient
    data CODE       refuses the message       drop         hangs up at the recipient
                    after CODE may stand an enhanced status
    stall           never answers to it       swallow      accepts the mail and hangs up without an answer

Each recipient adds a line to FOLDER/recipients.
"""

import argparse
import asyncio
import os
import pathlib
import ssl
import sys
import threading

from aiosmtpd.smtp import SMTP, AuthResult

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("port", type=int)
parser.add_argument("--starttls", nargs=2)
parser.add_argument("--tls", nargs=2)
parser.add_argument("--password")
args = parser.parse_args()


def mood():
    return (args.folder / "mood").read_text().split()


def refusal(step):
    word, *code = mood()
    return f"{' '.join(code)} as I was told, <{step}>" if word == step else None


class Mood:
    accepted = 0

    async def handle_MAIL(self, server, session, envelope, address, options):
        envelope.mail_from = address
        return refusal("mail") or "250 go on"

    async def handle_RCPT(self, server, session, envelope, address, options):
        with open(args.folder / "recipients", "a") as recipients:
            recipients.write(address + "\n")
        match mood():
            case ["stall"]:
                await asyncio.sleep(3600)
            case ["drop"]:
                server.transport.abort()
        envelope.rcpt_tos.append(address)
        return refusal("rcpt") or "250 go on"

    async def handle_DATA(self, server, session, envelope):
        if refused := refusal("data"):
            return refused
        Mood.accepted += 1
        half = args.folder / f".{Mood.accepted}"
        half.write_bytes(envelope.content)
        half.rename(args.folder / f"{Mood.accepted}.eml")
        if mood() == ["swallow"]:
            server.transport.abort()
        return "250 accepted"


def certified(files):
    if files is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    return context


def authenticate(server, session, envelope, mechanism, data):
    known = args.password.encode().split(b":", 1)
    return AuthResult(success=[data.login, data.password] == known)


def smtp():
    tls = certified(args.starttls)
    asks = {"authenticator": authenticate, "auth_required": True} if args.password else {}
    return SMTP(Mood(), hostname="test", tls_context=tls, require_starttls=tls is not None, **asks)


async def serve():
    server = await asyncio.get_running_loop().create_server(smtp, "127.0.0.1", args.port, ssl=certified(args.tls))
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def end_with_the_test():
    sys.stdin.buffer.read()
    os._exit(0)


threading.Thread(target=end_with_the_test, daemon=True).start()
asyncio.run(serve())
