/** Hard limits of a process that reads untrusted bytes, kept by the kernel. */
interface ProcessLimits {
  /** Memory that it may write to. */
  readonly megabytes: number
  /** Processor time. Unlimited for a process that does several jobs. */
  readonly cpuSeconds?: number
  /**
   * It is killed when its input ends, which has to be a pipe: also if the thread or the process that started it was killed. A
   * program that writes nothing would not notice.
   */
  readonly endsWithInput?: boolean
}

/**
 * A command under limits that its own children inherit. If the machine runs out of memory, the kernel ends these processes
 * before the server. Windows has no such limits, and others may ignore some: the command then runs without them.
 *
 * @returns program and arguments
 */
export function limitedCommand(
  program: string,
  args: readonly string[],
  { megabytes, cpuSeconds, endsWithInput = false }: ProcessLimits,
): [program: string, args: string[]] {
  if (process.platform === 'win32') return [program, [...args]]
  const limits = [String(megabytes * 1024), cpuSeconds === undefined ? 'unlimited' : String(cpuSeconds)]
  return [
    '/bin/sh',
    ['-c', script + (endsWithInput ? untilInputEnds : replaced), 'sh', ...limits, program, ...args],
  ]
}

/** RLIMIT_DATA and not RLIMIT_AS: V8 reserves many gigabytes of addresses that it never writes to. */
const script =
  '{ ulimit -d "$1"; ulimit -t "$2"; echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; shift 2; '

const replaced = 'exec "$@"'

/** The program itself has an empty input. A second shell waits for the end of the pipe. */
const untilInputEnds =
  'exec 3<&0; "$@" 3<&- </dev/null & program=$!; ' +
  '{ read -r _; kill -9 $program; } <&3 >/dev/null 2>&1 & reader=$!; ' +
  'exec 3<&-; wait $program; status=$?; kill -9 $reader; exit $status'
