"""Measures the search for sessions that fail, on one core. Times are processor times. Faults
are planted in copies of guarded's binary: a branch with the other sense, another constant, another
register. Each copy is compared with the original until a session shows that they differ.
"""
import json
import os
import random
import re
import resource
import shutil
import subprocess

from common import HERE, ROOT, Failed

GUARDED = os.path.join(ROOT, "firmware/guarded/guarded.hex")
PLANTED = 20
# Behind the vectors, and before the constants that the start-up copies.
CODE = range(0x68, 0x16F0)
SECONDS = 10


def load(path):
    """Returns the words of a program by their addresses in bytes."""
    memory = {}
    with open(path) as file:
        for line in file:
            record = bytes.fromhex(line.strip()[1:])
            if record[3] == 0:
                start = record[1] << 8 | record[2]
                memory.update(enumerate(record[4:4 + record[0]], start))
    return {at: memory[at] | memory.get(at + 1, 0xFF) << 8 for at in sorted(memory) if at % 2 == 0}


def save(words, path):
    data = {}
    for at, word in words.items():
        data[at], data[at + 1] = word & 0xFF, word >> 8
    with open(path, "w") as file:
        for start in range(0, max(data) + 1, 16):
            part = [data.get(at, 0xFF) for at in range(start, start + 16)]
            record = [16, start >> 8, start & 0xFF, 0, *part]
            record.append(-sum(record) & 0xFF)
            file.write(":" + bytes(record).hex().upper() + "\n")
        file.write(":00000001FF\n")


def length(word):
    """Returns the length of an instruction in bytes."""
    isLong = word & 0xFE0E in (0x940C, 0x940E) or word & 0xFC0F == 0x9000
    return 4 if isLong else 2


def changes(word, draw):
    """Yields the ways to spoil an instruction: what it becomes, in words, and its new word."""
    if word & 0xF800 == 0xF000:
        yield "branch", "the branch has the other sense", word ^ 0x0400
    if word >> 12 in (0x3, 0x5, 0x7, 0xE):
        constant = word >> 4 & 0xF0 | word & 0xF
        other = constant ^ 1 << draw.randrange(8)
        name = {0x3: "cpi", 0x5: "subi", 0x7: "andi", 0xE: "ldi"}[word >> 12]
        yield ("constant", f"{name} has {other} in place of {constant}",
               word & 0xF0F0 | (other & 0xF0) << 4 | other & 0xF)
    if word >> 10 in (0x1, 0x2, 0x3, 0x5, 0x6, 0x7, 0x8, 0x9, 0xA, 0xB):
        register = word & 0xF | word >> 5 & 0x10
        other = register ^ 1 << draw.randrange(4)
        yield ("register", f"r{other} in place of r{register}",
               word & 0xFDF0 | (other & 0x10) << 5 | other & 0xF)


def plant(words, seed):
    """Yields faults: an address, what it is, and the changed program. As many of each kind."""
    draw = random.Random(seed)
    places = []
    at = CODE.start
    while at < CODE.stop:
        places.append(at)
        at += length(words[at])
    draw.shuffle(places)
    counts = {"branch": 0, "constant": 0, "register": 0}
    for at in places:
        for kind, text, word in changes(words[at], draw):
            if counts[kind] < (PLANTED + 2) // 3 and sum(counts.values()) < PLANTED:
                counts[kind] += 1
                yield at, text, {**words, at: word}
                break


def explore(bench, *options):
    """Returns what the search prints, its seconds, and its sessions."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([bench, "explore", "--jobs", "1", *options], capture_output=True,
                          text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = re.search(r"explore: (\d+) sessions? in", done.stderr)
    if done.returncode not in (0, 1) or not said:
        raise Failed(f"explore: status {done.returncode}\n{done.stderr}")
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done.stdout, seconds, int(said[1])


def planted(bench, folder, budget=SECONDS, seed=1):
    """Yields each planted fault with what the search found and how long that took."""
    path = os.path.join(folder, "planted.hex")
    for at, text, words in plant(load(GUARDED), seed):
        save(words, path)
        found, seconds, count = explore(
            bench, "--device", f"avr:{path}", "--against", f"avr:{GUARDED}", "--firmware",
            "guarded", "--budget", f"{budget}s")
        yield at, text, found, seconds, count


def gaps():
    """The gaps of fuzz-classic.c in nanoseconds."""
    with open(os.path.join(HERE, "peer/fuzz-classic.c")) as file:
        return [int(gap) for gap in re.search(r"gaps\[\] = {([^}]*)}", file.read())[1].split(",")]


def fuzz_input(path, steps):
    """Returns a session of the search as an input of libFuzzer, with the nearest of these gaps."""
    with open(path) as file:
        events = [json.loads(line) for line in list(file)[1:]]
    sent = [(time, values[0]) for time, kind, *values in events if kind == "rx"]
    early = not sent or sent[0][0] < 1.5
    data, before = bytearray([early]), 0 if early else 1.5
    for time, text in sent:
        for place, byte in enumerate(text.encode("latin-1")):
            gap = (time - before) * 1e9 if place == 0 else 0
            data += bytes([min(range(16), key=lambda index: abs(steps[index] - gap)), byte])
        before = time
    return bytes(data)


def fuzzed(bench, folder, seconds):
    """Returns what libFuzzer counts in the C peer, and its runs: of its own inputs, of the sessions
    that the search kept on the model in the same time, and of both. None if clang cannot build it.
    """
    fuzzer, own, kept, theirs = (os.path.join(folder, name) for name in (
        "fuzz-classic", "inputs", "kept", "sessions"))
    for path in own, theirs:
        os.mkdir(path)
    built = subprocess.run(["clang", "-O2", "-fsanitize=fuzzer", "-o", fuzzer,
                            os.path.join(HERE, "peer/fuzz-classic.c")], capture_output=True)
    if built.returncode != 0:
        return None

    def fuzz(*arguments):
        done = subprocess.run([fuzzer, *arguments], capture_output=True, text=True)
        said = re.findall(r"#(\d+)\s+DONE +cov: (\d+) ft: (\d+)", done.stderr)
        if done.returncode != 0 or not said:
            raise Failed(f"libFuzzer: status {done.returncode}\n{done.stderr}")
        return tuple(map(int, said[-1]))

    fuzz("-max_len=640", f"-max_total_time={seconds}", "-seed=1", own)
    # A rule that holds in every session, so that only what is new counts.
    rules = os.path.join(folder, "always.yaml")
    with open(rules, "w") as file:
        file.write("- angles: 0..180\n")
    explore(bench, "--firmware", "classic", "--rules", rules, "--budget", f"{seconds}s", "--corpus",
            kept)
    steps = gaps()
    for name in os.listdir(kept):
        with open(os.path.join(theirs, name), "wb") as file:
            file.write(fuzz_input(os.path.join(kept, name), steps))
    return [fuzz("-max_len=100000", "-runs=0", *folders)
            for folders in ([own], [theirs], [own, theirs])]


def measure(table, options, bench, folder):
    print("the search for sessions that fail")
    _, seconds, count = explore(bench, "--against", "guarded", "--sessions",
                                "20000" if options.quick else "200000")
    table.row("sessions a second on two models, one core", count / seconds, 10_000)
    _, seconds, count = explore(
        bench, "--device", f"avr:{GUARDED}", "--against", f"avr:{GUARDED}", "--firmware", "guarded",
        "--sessions", "200" if options.quick else "1000")
    table.row("sessions a second on two chips, one core", count / seconds, 20)
    seconds = 5 if options.quick else 60
    counts = fuzzed(bench, folder, seconds) if shutil.which("clang") else None
    if not counts:
        table.note("libFuzzer: skipped, it needs clang with compiler-rt")
    else:
        (_, own, ours), (_, theirs, kept), (_, _, both) = counts
        table.row("states of the C peer that the search reached, of libFuzzer's", kept / ours, 0.9)
        table.note(f"{seconds} s each: edges {theirs} and {own}, states {kept} and {ours}; both "
                   f"together {both}")
    if options.quick:
        return
    runs = list(planted(bench, folder))
    found = [run for run in runs if run[2]]
    for at, text, result, _, count in runs:
        if not result:
            table.note(f"not found in {count} sessions: at {at:#x}, {text}")
    table.row(f"planted faults found in {SECONDS} s, of {len(runs)}", len(found), 16)
    table.row("the longest of them, seconds", max(run[3] for run in found), SECONDS, at_most=True)


if __name__ == "__main__":
    import sys
    for place, what, difference, time, sessions in planted(*sys.argv[1:]):
        first = difference.splitlines()[0] if difference else "NOT FOUND"
        print(f"{place:#06x} {what:40} {time:6.2f} s {sessions:5} sessions  {first[-90:]}", flush=True)
