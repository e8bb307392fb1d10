"""A job that ends as the request says: a signal, an exception, an exit code, or printing for ever."""

import os


def preload():
    pass


def run(request, result):
    match request["how"]:
        case "signal":
            os.kill(os.getpid(), request["number"])
        case "exception":
            raise ZeroDivisionError("on purpose")
        case "print":
            while True:
                print("x" * 1000)
        case "flood":
            while True:
                os.write(result, b"x" * 65536)
        case "worker":
            os.kill(os.getppid(), request["number"])
    return request.get("code", 0)
