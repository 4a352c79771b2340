// graphile-worker, with the settings of its own performance page: 24 jobs at once, a local queue of 500, completions batched.
// Enqueued by addJobs in calls of 1,000. With keys: one named queue a key. run_at ascends by a microsecond a job, because
// within a queue it sorts by run_at only.
//   --local=0   without the local queue and without batched completions
import { makeWorkerUtils, run, Logger } from 'graphile-worker'
import { Pool } from 'pg'
import { Seen, filler, keyOf, options, pause, probe, report } from './seen.mjs'

const { jobs, keys, warmup, seconds, given } = options()
const local = given.local !== '0'
const logger = new Logger(() => () => {})
const pgPool = new Pool({ max: 26 })
const utils = await makeWorkerUtils({ pgPool, logger })
await utils.migrate()

async function round(count, probing) {
  const seen = new Seen(keys)
  let began = process.hrtime.bigint()
  const from = Date.now() - 3600_000
  for (let at = 0; at < count; at += 1000) {
    const specs = []
    for (let i = at; i < Math.min(count, at + 1000); i++) {
      const key = keyOf(i, keys)
      const spec = { identifier: 'send', payload: { key, n: i + 1, text: filler } }
      if (keys > 0) {
        spec.queueName = `chat:${key}`
        spec.runAt = new Date(from + i)
      }
      specs.push(spec)
    }
    await utils.addJobs(specs)
  }
  const enqueueSeconds = Number(process.hrtime.bigint() - began) / 1e9
  let done = 0
  began = process.hrtime.bigint()
  const worker = { concurrentJobs: 24, maxPoolSize: 25 }
  const runner = await run({
    pgPool,
    logger,
    noHandleSignals: true,
    preset: { worker: local ? { ...worker, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } : worker },
    taskList: {
      send: async ({ key, n }) => {
        seen.begin(key, n)
        if (probing) await probe.pause()
        seen.end(key)
        done++
      },
    },
  })
  const deadline = Date.now() + seconds * 1000
  while (done < count && Date.now() < deadline) await pause(2)
  // Durable: graphile-worker deletes a job when it is complete.
  const left = async () => Number((await pgPool.query('SELECT count(*) FROM graphile_worker._private_jobs')).rows[0].count)
  let remaining = await left()
  while (done >= count && remaining > 0 && Date.now() < deadline) {
    await pause(2)
    remaining = await left()
  }
  const drainSeconds = Number(process.hrtime.bigint() - began) / 1e9
  await runner.stop()
  await pgPool.query('TRUNCATE graphile_worker._private_jobs, graphile_worker._private_job_queues')
  return { enqueueSeconds, drained: count - remaining, drainSeconds, seen }
}

if (warmup > 0) await round(warmup)
const { enqueueSeconds, drained, drainSeconds, seen } = await round(jobs)
const probed = keys > 0 ? (await round(probe.jobs, true)).seen : undefined
report(given.name ?? 'graphile-worker', jobs, enqueueSeconds, drained, drainSeconds, seen, probed)
await utils.release()
await pgPool.end()
