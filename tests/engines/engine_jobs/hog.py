"""A job that takes memory until it is refused."""


def preload():
    pass


def run(request, result):
    kept = []
    while True:
        kept.append(bytearray(1 << 22))
