import { useEffect, useState, type ComponentType, type ReactNode } from 'react'

/**
 * A component whose code is loaded when it is first rendered, and which is shown as soon as it is there: React's `lazy` holds
 * it back until its fallback has stood for 300 ms. Where the code does not come, it throws that for the boundary around
 * it; rendered anew, it asks again.
 *
 * @param waiting what stands in its place meanwhile
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: (props: Props) => ReactNode,
) {
  let code: ComponentType<Props> | undefined
  const loadCode = async () => (code = await load())
  return function LazyComponent(props: Props): ReactNode {
    const [{ Loaded, error }, setState] = useState<State<Props>>({ Loaded: code })
    useEffect(() => {
      if (Loaded) return undefined
      let isWanted = true
      loadCode().then(
        (loaded) => isWanted && setState({ Loaded: loaded }),
        (cause: unknown) => isWanted && setState({ error: cause }),
      )
      return () => {
        isWanted = false
      }
    }, [Loaded])
    if (error) throw error
    return Loaded ? <Loaded {...props} /> : waiting(props)
  }
}

interface State<Props> {
  Loaded?: ComponentType<Props> | undefined
  error?: unknown
}
