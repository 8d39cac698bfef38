import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { requestCounts, type RequestCounts } from './request-counts.ts'

/** What Prometheus reads of this process. */
export interface Metrics extends Pick<RequestCounts, 'begin'> {
  /** Counts a page of changes: how many seconds its device went without the first of them. */
  syncLag(seconds: number): void
  /** The present value of something that is asked when Prometheus asks. */
  set(name: string, help: string, value: number): void
  /** All of it, as text of `type`. */
  print(): Promise<string>
  readonly type: string
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const { begin, print: printRequests } = requestCounts()
  const lag = new Histogram({
    name: 'fellowship_sync_lag_seconds',
    help: 'How long devices went without the changes that they fetched; those that were closed count too.',
    buckets: [0.3, 1, 3, 10, 60, 600, 3600, 86_400, 604_800],
    registers,
  })
  const gauges = new Map<string, Gauge>()
  let isCollecting = false
  return {
    type: registry.contentType,
    begin,
    syncLag: (seconds) => lag.observe(seconds),
    set(name, help, value) {
      const gauge = gauges.get(name) ?? new Gauge({ name: `fellowship_${name}`, help, registers })
      gauges.set(name, gauge)
      gauge.set(value)
    },
    async print() {
      // Event loop, memory and garbage collection: collected only where metrics are enabled.
      if (!isCollecting) collectDefaultMetrics({ register: registry })
      isCollecting = true
      return `${printRequests()}${await registry.metrics()}`
    },
  }
}
