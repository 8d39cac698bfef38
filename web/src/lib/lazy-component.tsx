import { useEffect, useState, type ComponentType, type ReactNode } from 'react'

/**
 * A component whose code is loaded when it is first rendered, and which is shown as soon as it is loaded: React's `lazy` holds
 * it back until its fallback was shown for 300 ms. A failure to load is thrown to the error boundary around it; mounted
 * again, it loads again.
 *
 * @param fallback what is shown while it loads
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: (props: Props) => ReactNode,
) {
  let code: ComponentType<Props> | undefined
  const loadCode = async () => (code = await load())
  return function LazyComponent(props: Props): ReactNode {
    const [{ Loaded, error }, setState] = useState<State<Props>>({ Loaded: code })
    useEffect(() => {
      if (Loaded) return undefined
      let isMounted = true
      loadCode().then(
        (loaded) => isMounted && setState({ Loaded: loaded }),
        (cause: unknown) => isMounted && setState({ error: cause }),
      )
      return () => {
        isMounted = false
      }
    }, [Loaded])
    if (error) throw error
    return Loaded ? <Loaded {...props} /> : fallback(props)
  }
}

interface State<Props> {
  Loaded?: ComponentType<Props> | undefined
  error?: unknown
}
