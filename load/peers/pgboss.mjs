// pg-boss: insert() in calls of 1,000; drained by fetch() and complete() of 500 jobs at once in 4 loops, which is its API without
// the half second that work() waits between two polls. With keys: the policy key_strict_fifo and a singletonKey. Ids ascend,
// because within a key it sorts by created_on, which is the same for a call, and then by id.
import { PgBoss } from 'pg-boss'
import { Seen, filler, keyOf, options, probe, report } from './seen.mjs'

const { jobs, keys, warmup, seconds, given } = options()
const { PGHOST, PGPORT, PGUSER, PGDATABASE } = process.env
const boss = new PgBoss({ host: PGHOST, port: Number(PGPORT), user: PGUSER, database: PGDATABASE, max: 10, supervise: false, schedule: false })
boss.on('error', (error) => console.error(error.message))
await boss.start()

const batchSize = Number(given.batch ?? 500)
const loops = Number(given.loops ?? 4)
const stem = Date.now().toString(16).padStart(12, '0')

function id(round, i) {
  const tail = i.toString(16).padStart(12, '0')
  return `${stem.slice(0, 8)}-${stem.slice(8)}-7${round.toString(16).padStart(3, '0')}-8000-${tail}`
}

async function round(number, count, probing) {
  const queue = `send-${number}`
  await boss.createQueue(queue, keys > 0 ? { policy: 'key_strict_fifo' } : {})
  const seen = new Seen(keys)
  let began = process.hrtime.bigint()
  for (let at = 0; at < count; at += 1000) {
    const batch = []
    for (let i = at; i < Math.min(count, at + 1000); i++) {
      const key = keyOf(i, keys)
      const job = { id: id(number, i), data: { key, n: i + 1, text: filler } }
      if (keys > 0) job.singletonKey = `chat:${key}`
      batch.push(job)
    }
    await boss.insert(queue, batch)
  }
  const enqueueSeconds = Number(process.hrtime.bigint() - began) / 1e9
  let done = 0
  let failed
  began = process.hrtime.bigint()
  const deadline = Date.now() + seconds * 1000
  await Promise.all(Array.from({ length: loops }, async () => {
    while (done < count && Date.now() < deadline) {
      const batch = await boss.fetch(queue, { batchSize })
      if (batch.length === 0) continue
      for (const job of batch) seen.begin(job.data.key, job.data.n)
      if (probing) await probe.pause()
      const completed = boss.complete(queue, batch.map((job) => job.id))
      for (const job of batch) seen.end(job.data.key)
      await completed
      done += batch.length
    }
  })).catch((error) => { failed = error })
  const drainSeconds = Number(process.hrtime.bigint() - began) / 1e9
  if (failed) console.error(`pg-boss: ${failed.message}`)
  return { enqueueSeconds, drained: done, drainSeconds, seen }
}

if (warmup > 0) await round(0, warmup)
const { enqueueSeconds, drained, drainSeconds, seen } = await round(1, jobs)
const probed = keys > 0 ? (await round(2, probe.jobs, true)).seen : undefined
report(given.name ?? 'pg-boss', jobs, enqueueSeconds, drained, drainSeconds, seen, probed)
await boss.stop({ graceful: false })
process.exit(0)
