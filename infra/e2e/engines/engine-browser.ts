/** One tab of a real browser, driven by the protocol of its engine. */
export interface EngineBrowser {
  /** Opens an address and waits for its load event. */
  goto(url: string): Promise<void>
  back(): Promise<void>
  /** Loads the page without its service worker and its cache, as Shift and reload do; not in every engine. */
  hardReload?(): Promise<void>
  /** The value of an expression in the page, as JSON; a promise is awaited. */
  evaluate(expression: string): Promise<unknown>
  /** Moves the mouse to a point of the viewport, in CSS pixels. */
  move(x: number, y: number): Promise<void>
  /** Presses the primary button at a point of the viewport, in CSS pixels. */
  click(x: number, y: number): Promise<void>
  press(key: Key): Promise<void>
  /** Types into whatever has the focus. */
  type(text: string): Promise<void>
  /** Gives files to the file input that the expression finds, as choosing them would. */
  chooseFile(expression: string, file: string): Promise<void>
  /** A PNG of the viewport. */
  screenshot(file: string): Promise<void>
  /** Console errors and warnings, uncaught exceptions and failed requests since the last call. */
  takeConsole(): string[]
  /** Ends the browser; its profile stays. */
  close(): Promise<void>
}

export type Key = 'Enter' | 'Escape' | 'Tab' | 'ArrowRight' | 'Backspace'

export interface EngineOptions {
  /** The folder that keeps cookies and site data; an earlier one is continued. */
  profile: string
  /** Cookies and site data are refused. */
  refuseSiteData?: boolean
}

/** A browser engine that a machine may have. */
export interface Engine {
  readonly name: string
  /** Packages to install before it can be opened; empty if none is missing. */
  missing(): readonly string[]
  open(options: EngineOptions): Promise<EngineBrowser>
}

/** Of every page: journeys look the same on all machines. */
export const viewport = { width: 1280, height: 800 }
/** For one command; a page that does not load by then has failed. */
export const commandMs = 60_000
