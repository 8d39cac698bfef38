/** A colour in OKLCH: lightness 0 to 1, chroma, hue in degrees. */
interface Oklch {
  readonly l: number
  readonly c: number
  readonly h: number
}

/** '#rrggbb' */
export type Hex = string

/** The colours that pages derive from the accent, each in the light and in the dark scheme. */
export type AccentTokens = Readonly<Record<AccentToken, readonly [light: Hex, dark: Hex]>>
type AccentToken = 'accent' | 'accent-strong' | 'accent-tint' | 'accent-more' | 'accent-more-tint'

/** Contrast of text by WCAG 2.2, AA, and AAA if people ask for more. */
const [enough, more] = [4.5, 7]

/** As in the page's tokens: backgrounds, and the letters on the accent. */
const surfaces = { light: ['#fbf8f2', '#fffefb', '#f3eee2'], dark: ['#14201c', '#1b2a25', '#0f1915'] }
const moreSurfaces = { light: ['#ffffff', '#f4f4ef'], dark: ['#000000', '#0a110e'] }
const letters = { light: '#fdfbf6', dark: '#0f1d17' }

/**
 * The tokens of an accent. Its hue stays; the lightness of each token is moved as little as the contrast asks for, on every
 * background and under the letters on it.
 *
 * @param accent '#rrggbb'
 */
export function accentTokens(accent: Hex): AccentTokens {
  const seed = oklchOf(accent)
  const tint: readonly [Hex, Hex] = [
    hexOf({ l: 0.9434, c: Math.min(seed.c * 0.236, 0.03), h: seed.h - 18 }),
    hexOf({ l: 0.3177, c: Math.min(seed.c * 0.609, 0.06), h: seed.h - 2.2 }),
  ]
  const moreTint: readonly [Hex, Hex] = [
    hexOf({ l: 0.9261, c: Math.min(seed.c * 0.37, 0.04), h: seed.h - 13.8 }),
    hexOf({ l: 0.3019, c: Math.min(seed.c * 0.739, 0.06), h: seed.h - 3.1 }),
  ]
  const light = readable(seed, -1, [...surfaces.light, tint[0], letters.light], enough)
  const dark = readable(
    { l: 0.7362, c: Math.min(seed.c * 1.227, 0.14), h: seed.h - 4.2 },
    1,
    [...surfaces.dark, tint[1], letters.dark],
    enough,
  )
  return {
    accent: [isSame(light, seed) ? accent.toLowerCase() : hexOf(light), hexOf(dark)],
    'accent-strong': [
      // A colour near black has no darker one that differs.
      hexOf({ ...light, l: light.l > 0.15 ? light.l - 0.0653 : light.l + 0.2, c: light.c * 0.822 }),
      hexOf({ l: dark.l + 0.0716, c: dark.c * 0.858, h: dark.h + 0.3 }),
    ],
    'accent-tint': tint,
    'accent-more': [
      hexOf(
        readable(
          { l: 0.2971, c: seed.c * 0.881, h: seed.h - 1.1 },
          -1,
          [...moreSurfaces.light, moreTint[0]],
          more,
        ),
      ),
      hexOf(
        readable(
          { l: 0.8986, c: Math.min(seed.c * 1.156, 0.09), h: seed.h - 4.2 },
          1,
          [...moreSurfaces.dark, moreTint[1]],
          more,
        ),
      ),
    ],
    'accent-more-tint': moreTint,
  }
}

/** The custom properties of a page with this accent: `--accent-light`, `--accent-dark`, … */
export const accentProperties = (accent: Hex): [name: string, colour: Hex][] =>
  Object.entries(accentTokens(accent)).flatMap(([name, [light, dark]]): [string, Hex][] => [
    [`--${name}-light`, light],
    [`--${name}-dark`, dark],
  ])

/** Those as a style sheet. */
export const accentStyle = (accent: Hex): string =>
  `:root{${accentProperties(accent)
    .map((property) => property.join(':'))
    .join(';')}}`

/** The contrast of two colours by WCAG 2.2, from 1 to 21. */
export function contrastOf(one: Hex, other: Hex): number {
  const [low, high] = [luminance(one), luminance(other)].toSorted((a, b) => a - b) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** The nearest lightness in this direction that is readable on all these colours. */
function readable(colour: Oklch, direction: 1 | -1, on: readonly Hex[], contrast: number): Oklch {
  let { l } = colour
  const passes = () => on.every((other) => contrastOf(hexOf({ ...colour, l }), other) >= contrast)
  while (!passes() && l > 0 && l < 1) l += direction * 0.002
  return { ...colour, l }
}

const isSame = (one: Oklch, other: Oklch) => one.l === other.l

const channels = (hex: Hex): number[] =>
  [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })

function luminance(hex: Hex): number {
  const [red, green, blue] = channels(hex) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Björn Ottosson's OKLab, in its polar form. */
function oklchOf(hex: Hex): Oklch {
  const [r, g, b] = channels(hex) as [number, number, number]
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const l = 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
  const bb = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
  return { l, c: Math.hypot(a, bb), h: (Math.atan2(bb, a) * 180) / Math.PI }
}

/** The colour in sRGB, with less chroma if sRGB has not as much. */
function hexOf({ l, c, h }: Oklch): Hex {
  const lightness = Math.min(1, Math.max(0, l))
  let chroma = c
  let rgb = linearOf(lightness, chroma, h)
  while (chroma > 0 && rgb.some((value) => value < -0.0005 || value > 1.0005)) {
    chroma = chroma < 0.002 ? 0 : chroma - 0.002
    rgb = linearOf(lightness, chroma, h)
  }
  const bytes = rgb.map((value) => {
    const bounded = Math.min(1, Math.max(0, value))
    const encoded = bounded <= 0.0031308 ? bounded * 12.92 : 1.055 * bounded ** (1 / 2.4) - 0.055
    return Math.round(encoded * 255)
  })
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function linearOf(l: number, c: number, h: number): number[] {
  const [a, b] = [c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)]
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
}
