import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** The figures that Prometheus reads of this process. */
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
      // Event loop, memory and garbage collection: collected only if metrics are enabled.
      if (!isCollecting) collectDefaultMetrics({ register: registry })
      isCollecting = true
      return `${printRequests()}${await registry.metrics()}`
    },
  }
}

/** Upper bounds of the times that are told apart, in seconds. */
const bounds = [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10, 60, 600]

interface Ended {
  readonly labels: string
  count: number
  seconds: number
  /** How many took at most so long, each counted once, at its smallest bound. */
  readonly within: number[]
}

interface Route {
  running: number
  /** By method and status. */
  readonly ended: Map<string, Ended>
}

interface RequestCounts {
  /** Counts a request of a route; call the result when it has ended. It answers how many seconds that took. */
  begin: (route: string) => (method: string, status: number) => number
  /**
   * The histogram `fellowship_http_request_seconds` and the gauge `fellowship_http_requests_running`.
   *
   * @see https://prometheus.io/docs/instrumenting/exposition_formats/
   */
  print: () => string
}

/**
 * Counts requests by route, method and status. Of our own because each request pays for it: the library's histogram builds
 * and hashes its labels at every observation. Routes, methods and statuses are few and plain, so nothing is escaped.
 */
export function requestCounts(): RequestCounts {
  const routes = new Map<string, Route>()
  return {
    begin(name) {
      let route = routes.get(name)
      if (!route) routes.set(name, (route = { running: 0, ended: new Map() }))
      const { ended } = route
      const began = performance.now()
      route.running += 1
      return (method, status) => {
        route.running -= 1
        const key = `${method} ${status}`
        let known = ended.get(key)
        if (!known) ended.set(key, (known = none(name, method, status)))
        const seconds = (performance.now() - began) / 1000
        add(known, seconds)
        return seconds
      }
    },
    print: () =>
      [
        '# HELP fellowship_http_request_seconds Requests by route and status, with the time until their last byte.',
        '# TYPE fellowship_http_request_seconds histogram',
        ...[...routes.values()].flatMap(({ ended }) => [...ended.values()].flatMap(histogramLines)),
        '# HELP fellowship_http_requests_running Requests that are being answered; those of /api/sync/events are open pages.',
        '# TYPE fellowship_http_requests_running gauge',
        ...[...routes].map(
          ([name, { running }]) => `fellowship_http_requests_running{route="${name}"} ${running}`,
        ),
        '',
      ].join('\n'),
  }
}

const none = (route: string, method: string, status: number): Ended => ({
  labels: `method="${method}",route="${route}",status="${status}"`,
  count: 0,
  seconds: 0,
  within: bounds.map(() => 0),
})

function add(ended: Ended, seconds: number): void {
  ended.count += 1
  ended.seconds += seconds
  const at = bounds.findIndex((bound) => seconds <= bound)
  if (at !== -1) ended.within[at]! += 1
}

function histogramLines({ labels, count, seconds, within }: Ended): string[] {
  const name = 'fellowship_http_request_seconds'
  let sum = 0
  const buckets = bounds.map((bound, at) => {
    sum += within[at]!
    return `${name}_bucket{${labels},le="${bound}"} ${sum}`
  })
  return [
    ...buckets,
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${seconds}`,
    `${name}_count{${labels}} ${count}`,
  ]
}
