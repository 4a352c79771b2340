// What the handlers of a run saw: per key the numbers must ascend, and one at a time.
export class Seen {
  constructor(keys) {
    this.last = new Map()
    this.inFlight = new Set()
    this.numbers = new Set()
    this.order = this.together = this.doubled = 0
    this.keyed = keys > 0
  }

  begin(key, number) {
    if (this.numbers.has(number)) this.doubled++
    this.numbers.add(number)
    if (!this.keyed) return
    if (this.inFlight.has(key)) this.together++
    this.inFlight.add(key)
    if (number <= (this.last.get(key) ?? 0)) this.order++
    this.last.set(key, number)
  }

  end(key) {
    if (this.keyed) this.inFlight.delete(key)
  }
}

export function options() {
  const given = Object.fromEntries(process.argv.slice(2).map((word) => word.replace(/^--/, '').split('=')))
  const number = (name, otherwise) => Number(given[name] ?? otherwise)
  return { jobs: number('jobs', 20000), keys: number('keys', 0), warmup: number('warmup', 5000), seconds: number('seconds', 60), given }
}

// Which key a job has: as if by chance, but the same for everybody (murmur3's last step).
export function keyOf(i, keys) {
  let h = i + 1
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return keys > 0 ? ((h ^ (h >>> 16)) >>> 1) % keys : i
}

export const filler = 'x'.repeat(140)

// Whether a key is kept in order shows only when handlers take their time: after the measured round, another one is
// handled with these pauses, and what it saw is added to the report.
export const probe = { jobs: 2000, pause: () => new Promise((done) => setTimeout(done, Math.random() * 4)) }

export const pause = (ms) => new Promise((done) => setTimeout(done, ms))

export function report(peer, jobs, enqueueSeconds, drained, drainSeconds, seen, probed) {
  const drain = drained / drainSeconds
  console.log(JSON.stringify({
    peer,
    enqueue: Math.round(jobs / enqueueSeconds),
    drain: Math.round(drain),
    // A run that was cut off is taken to go on at the rate it had.
    cycle: Math.round(jobs / (enqueueSeconds + jobs / drain)),
    order: seen.order + (probed?.order ?? 0),
    together: seen.together + (probed?.together ?? 0),
    doubled: seen.doubled + (probed?.doubled ?? 0),
    left: jobs - drained,
  }))
}
