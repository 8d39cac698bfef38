import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What Prometheus reads of this process. */
export interface Metrics {
  /** Counts a request of a route; call the result when it has ended. */
  begin(route: string): (method: string, status: number) => void
  /** The present value of something that is asked when Prometheus asks. */
  set(name: string, help: string, value: number): void
  /** All of it, as text of `type`. */
  print(): Promise<string>
  readonly type: string
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'fellowship_http_request_seconds',
    help: 'Requests by route and status, with the time until their last byte.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10, 60, 600],
    registers,
  })
  const running = new Gauge({
    name: 'fellowship_http_requests_running',
    help: 'Requests that are being answered; those of /api/sync/events are open pages.',
    labelNames: ['route'],
    registers,
  })
  const gauges = new Map<string, Gauge>()
  let isCollecting = false
  return {
    type: registry.contentType,
    begin(route) {
      const started = performance.now()
      running.inc({ route })
      return (method, status) => {
        running.dec({ route })
        requests.observe({ method, route, status }, (performance.now() - started) / 1000)
      }
    },
    set(name, help, value) {
      const gauge = gauges.get(name) ?? new Gauge({ name: `fellowship_${name}`, help, registers })
      gauges.set(name, gauge)
      gauge.set(value)
    },
    async print() {
      // Event loop, memory and garbage collection: collected only where metrics are enabled.
      if (!isCollecting) collectDefaultMetrics({ register: registry })
      isCollecting = true
      return registry.metrics()
    },
  }
}
