"""The medians of the rounds as one Markdown table, and each against Tailrace in the same measure."""
import collections
import json
import statistics
import sys

runs = collections.OrderedDict()
for line in open(sys.argv[1]):
    run = json.loads(line)
    runs.setdefault((run["measure"], run["peer"]), []).append(run)


def median(measure, peer, what):
    return statistics.median(run[what] for run in runs[measure, peer])


def figure(value):
    return f"{value:,.0f}" if value > 0 else "–"


print("| measure | who | rounds | enqueue/s | drain/s | cycle/s | tailrace ÷ this (enqueue, drain, cycle) | out of order | two of a key at once | twice | left |")
print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
for (measure, peer), rounds in sorted(runs.items(), key=lambda entry: (not entry[0][0].startswith("unkeyed"), -len(entry[0][0]), entry[0][0])):
    values = [median(measure, peer, what) for what in ("enqueue", "drain", "cycle")]
    ratios = "–"
    if (measure, "tailrace") in runs and peer != "tailrace":
        ratios = ", ".join(f"{median(measure, 'tailrace', what) / max(value, 1):.2f}" for what, value in zip(("enqueue", "drain", "cycle"), values))
    wrong = " | ".join(f"{max(run[what] for run in rounds):,}" for what in ("order", "together", "doubled", "left"))
    print(f"| {measure} | {peer} | {len(rounds)} | {' | '.join(figure(value) for value in values)} | {ratios} | {wrong} |")
