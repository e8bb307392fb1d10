"""A planner for tests of engine commands: does what its first argument says, for any problem.

`copy FILE` writes the plan in FILE; `improve FILE` writes a bad plan, then that one, and goes on for ever.
"""

import os
import sys
import time
from pathlib import Path


def write(name, text):
    Path(name).write_text(text)


what, source, domain, problem, plan = sys.argv[1:]
given = Path(source).read_text() if source != "-" else ""
match what:
    case "copy":
        print("Expanded 7 state(s).\nGenerated 21 state(s).\nSearch time: 0.25s")
        write(plan, given)
    case "numbered":
        for number in range(1, 12):
            write(f"{plan}.{number}", given if number == 11 else "(nonsense)\n")
    case "improve":
        write(f"{plan}.1", "(nonsense)\n")
        write(f"{plan}.2", given)
        write(f"{plan}.3", "(goto ha")  # cut off in the middle
        time.sleep(600)
    case "own-names":
        write("output.sas", "begin_version\n3\n")
        write("sas_plan", given)
        os.utime("sas_plan", (1, 1))
        write("notes.txt", "")
    case "nothing":
        sys.exit(0)
    case "unsolvable":
        print("Search stopped without finding a solution. Completely explored state space -- no plan.")
        sys.exit(11)
    case "crash":
        write(plan, "(goto hall table)\n")
        os.abort()
    case "babble":
        write(plan, "I think that the robot should go to the kitchen first.\n")
    case "inputs":
        beside = os.getcwd() == os.path.dirname(plan) == os.path.dirname(domain) == os.path.dirname(problem)
        same = Path(domain).read_text() == Path(problem).read_text()
        write(plan, f"(of {os.path.basename(domain)} {os.path.basename(problem)} {beside} {same})")
    case "folder":
        os.mkdir(plan)
    case "pipe":
        os.mkfifo(plan)
    case "greedy":
        bytearray(1 << 30)
    case "long":
        with open(plan, "w") as file:
            file.write("(go_left)\n" * 1_600_000)
    case "hang":
        time.sleep(600)
