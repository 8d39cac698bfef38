/** Colours of a cover by role, as those of the hero on the home page. */
export interface CoverPalette {
  readonly sky: readonly [high: string, low: string]
  readonly sun: string
  readonly far: string
  readonly near: string
  readonly hills: readonly [far: string, mid: string, near: string]
  readonly meadow: string
  readonly crop: string
  readonly water: readonly [shallow: string, deep: string]
  readonly tree: string
  readonly wall: readonly [light: string, shade: string]
  readonly roof: string
  readonly window: string
  readonly ink: string
  readonly hasStars?: boolean
}

export const palettes: readonly CoverPalette[] = [
  {
    sky: ['#dfe9e2', '#fbf1da'],
    sun: '#f2c46c',
    far: '#c4d4ca',
    near: '#a9c1b1',
    hills: ['#93b496', '#739c7d', '#4c7f64'],
    meadow: '#2f6450',
    crop: '#d6b066',
    water: ['#e3efec', '#b9d5d2'],
    tree: '#23503e',
    wall: ['#fdf8ec', '#e9dcc3'],
    roof: '#8f4a35',
    window: '#51605a',
    ink: '#163a2f',
  },
  {
    sky: ['#f3d58f', '#fdf1d3'],
    sun: '#fffaea',
    far: '#e5c27a',
    near: '#cfa355',
    hills: ['#ae8743', '#84713a', '#5c6138'],
    meadow: '#3d4e31',
    crop: '#e8c46f',
    water: ['#fbeecb', '#e9cd8f'],
    tree: '#38462c',
    wall: ['#fffaec', '#ecd9ae'],
    roof: '#8a3f2a',
    window: '#5b4a2c',
    ink: '#4a3208',
  },
  {
    sky: ['#15241f', '#2d4a4a'],
    sun: '#f4e6c2',
    far: '#2b4a4a',
    near: '#243f3e',
    hills: ['#213831', '#1b2f28', '#152720'],
    meadow: '#0f1d18',
    crop: '#4a4428',
    water: ['#6f9a98', '#3d6665'],
    tree: '#0c1a15',
    wall: ['#66766a', '#4d5b52'],
    roof: '#2a2420',
    window: '#f6c977',
    ink: '#f4e9cf',
    hasStars: true,
  },
  {
    sky: ['#cfe2e4', '#f4f3e4'],
    sun: '#f6d489',
    far: '#abcacd',
    near: '#86b1b6',
    hills: ['#62949a', '#437a80', '#2d6268'],
    meadow: '#1c4a50',
    crop: '#cbb06b',
    water: ['#eaf5f4', '#a8cfd1'],
    tree: '#163d43',
    wall: ['#fbf8ee', '#dfdcc8'],
    roof: '#93513a',
    window: '#3d5a5e',
    ink: '#123a40',
  },
  {
    sky: ['#ad4d38', '#e39b66'],
    sun: '#ffe3a3',
    far: '#d98560',
    near: '#bc6449',
    hills: ['#964b3b', '#733a34', '#552d2d'],
    meadow: '#3a2123',
    crop: '#e0a458',
    water: ['#fbd09a', '#dd8f63'],
    tree: '#331d20',
    wall: ['#fde3bd', '#dfa97c'],
    roof: '#4a2421',
    window: '#7a3c2c',
    ink: '#fff4de',
  },
  {
    sky: ['#1f4d40', '#5f9478'],
    sun: '#f3d58f',
    far: '#4c8169',
    near: '#3b6f59',
    hills: ['#2f604c', '#265242', '#1d4436'],
    meadow: '#143429',
    crop: '#b99a52',
    water: ['#b9d9c5', '#7fb196'],
    tree: '#102c22',
    wall: ['#f6efdc', '#cfcbb0'],
    roof: '#7d3f2c',
    window: '#f3c778',
    ink: '#fbf4e2',
  },
  {
    sky: ['#e6cfd0', '#fbeee2'],
    sun: '#f1a97f',
    far: '#d3b3b8',
    near: '#b8929d',
    hills: ['#957483', '#74596d', '#564359'],
    meadow: '#3b3045',
    crop: '#d8b08a',
    water: ['#f8e3da', '#d9b6ba'],
    tree: '#332a3d',
    wall: ['#fdf3e8', '#e3c9c0'],
    roof: '#7c3f4a',
    window: '#5d4860',
    ink: '#43263a',
  },
  {
    sky: ['#24324d', '#7d8fa6'],
    sun: '#fbe7b8',
    far: '#6a7e98',
    near: '#536884',
    hills: ['#415470', '#33445e', '#27364d'],
    meadow: '#1a263a',
    crop: '#a99a6b',
    water: ['#c9d6e0', '#8ea3b8'],
    tree: '#142032',
    wall: ['#e9e6da', '#b9bcbc'],
    roof: '#4d3433',
    window: '#f5cf86',
    ink: '#f8f0dc',
    hasStars: true,
  },
]
