import { createElement, use, type ComponentType } from 'react'

/** A page for the router, which loads its code with `preload`, before it is shown. */
export interface LazyPage {
  (): ReturnType<typeof createElement>
  /** Loads the code; rejects if it does not arrive, and the next call fetches it again. */
  loadCode: () => Promise<void>
  /** As `loadCode`, but the page shows the error; undefined once the code is there. */
  preload: () => Promise<void> | undefined
}

/**
 * A page whose code is loaded on navigation. The router's own lazy component reloads the site if that fails, which would
 * remove the open page offline, and in Firefox stops the navigation away from a page.
 */
export function lazyPage<Name extends string>(
  // Not as components: their types follow from the router's, and the router's from this.
  load: () => Promise<Record<Name, unknown>>,
  name: Name,
): LazyPage {
  let loading: Promise<void> | undefined
  let isOver = false
  let Page: ComponentType | undefined
  const begin = () => {
    isOver = false
    loading = load()
      .then((module) => void (Page = module[name] as ComponentType))
      .finally(() => (isOver = true))
    return loading
  }
  const Lazy = () => {
    // Never begun by a render once it has failed: React would render it for ever.
    if (!Page) use(loading ?? begin())
    return createElement(Page!)
  }
  const loadCode = () => (loading && (Page || !isOver) ? loading : begin())
  const preload = () => (Page ? undefined : loadCode().catch(() => undefined))
  return Object.assign(Lazy, { loadCode, preload })
}
