import type { CoverPalette } from './cover-palettes.ts'

/** Whole numbers from 0 to below `below`, the same for the same cover. */
export type Chance = (below: number) => number

type Scene = (colours: CoverPalette, chance: Chance) => string

const shape = (fill: string, d: string) => `<path fill="${fill}" d="${d}"/>`

/** A soft line of hills across the drawing, closed at its bottom. */
function ridge(chance: Chance, base: number, rise: number, steps: number): string {
  const width = 1120 / steps
  const heights = Array.from({ length: steps + 1 }, () => base - chance(rise))
  const points = heights.map((y, at) => [Math.round(at * width) - 60, y] as const)
  let d = `M${points[0]![0]} ${points[0]![1]}`
  for (const [at, [x, y]] of points.entries()) {
    if (at === 0) continue
    const [fromX, fromY] = points[at - 1]!
    const reach = Math.round((x - fromX) * 0.45)
    d += `C${fromX + reach} ${fromY} ${x - reach} ${y} ${x} ${y}`
  }
  return `${d}V1010H-60Z`
}

const ranges = ({ far, near }: CoverPalette, chance: Chance, base = 640): string =>
  shape(far, ridge(chance, base, 74, 7)) + shape(near, ridge(chance, base + 44, 60, 5))

const sunAt = ({ sun }: CoverPalette, x: number, y: number, r: number): string =>
  `<circle cx="${x}" cy="${y}" r="${r * 2}" fill="${sun}" opacity=".16"/><circle cx="${x}" cy="${y}" r="${Math.round(
    r * 1.45,
  )}" fill="${sun}" opacity=".22"/><circle cx="${x}" cy="${y}" r="${r}" fill="${sun}"/>`

function poplar(x: number, y: number, height: number): string {
  const half = Math.round(height * 0.17)
  const shoulder = Math.round(height * 0.45)
  return `M${x} ${y}c${-half} ${-Math.round(half * 0.4)} ${-half} ${-Math.round(height * 0.6)} 0 ${-height}c${half} ${shoulder} ${half} ${height - Math.round(half * 0.4)} 0 ${height}Z`
}

/** A broad tree: a crown of three curves on a short trunk. */
const oak = (x: number, y: number, size: number): string => {
  const s = (units: number) => Math.round((units * size) / 100)
  return `M${x - s(5)} ${y}c${s(2)} ${-s(20)} ${s(1)} ${-s(26)} ${-s(2)} ${-s(34)}c${-s(34)} ${s(6)} ${-s(52)} ${-s(22)} ${-s(34)} ${-s(44)}c${-s(6)} ${-s(32)} ${s(30)} ${-s(44)} ${s(46)} ${-s(22)}c${s(24)} ${-s(16)} ${s(54)} ${s(4)} ${s(44)} ${s(32)}c${s(14)} ${s(22)} ${-s(10)} ${s(42)} ${-s(38)} ${s(34)}c${-s(4)} ${s(10)} ${-s(4)} ${s(16)} 0 ${s(34)}Z`
}

function hall({ wall, roof, window, tree }: CoverPalette, x: number, y: number, scale: number): string {
  return `<g transform="translate(${x} ${y}) scale(${scale})">${[
    shape(tree, 'M-110 0c-8-22 6-44 26-40 8-24 42-22 48 2 16-2 26 14 20 38Z'),
    shape(wall[1], 'M26-50h104V0H26Z'),
    shape(wall[0], 'M-36-48 0-79l36 31V0h-72Z'),
    shape(roof, 'M0-87h112l26 40H36Z'),
    shape(roof, 'M0-90l-44 39 5 6L0-79l39 34 5-6Z'),
    shape(roof, 'M-9 0v-21q9-11 18 0V0Z'),
    shape(window, 'M52-36h13v18H52Zm24 0h13v18H76Zm24 0h13v18h-13Z'),
    shape(roof, 'M-1.5-116h3v28h-3Zm-7 8h17v3h-17Z'),
  ].join('')}</g>`
}

const scenes: readonly Scene[] = [
  // The hall among hills.
  (colours, chance) =>
    sunAt(colours, 640 + chance(200), 596 + chance(30), 60) +
    ranges(colours, chance) +
    shape(colours.hills[0], ridge(chance, 752, 46, 4)) +
    shape(colours.tree, [0, 1, 2, 3].map((at) => poplar(690 + at * 46, 772, 108 + chance(60))).join('')) +
    shape(colours.hills[1], 'M-10 800c180-60 360-70 560-24 170 40 320 34 470-10v244H-10Z') +
    hall(colours, 300, 800, 1.75) +
    shape(colours.hills[2], 'M-10 836c190-52 420-36 620 24 130 38 270 46 410 22v128H-10Z') +
    shape(colours.meadow, 'M-10 930c240-70 460-30 640 80H-10Z'),
  // A river out of the ranges.
  (colours, chance) =>
    sunAt(colours, 480 + chance(180), 606, 64) +
    ranges(colours, chance, 660) +
    shape(colours.hills[0], ridge(chance, 744, 36, 4)) +
    shape(colours.hills[1], 'M-10 752c190-30 340-6 520 20 180 22 330-2 510-30v268H-10Z') +
    shape(
      colours.water[0],
      'M560 770c-96 8-190 18-196 36-8 22 200 26 226 62 32 46-100 82-150 142h320c-58-66 10-110 22-150 16-54-188-44-226-68-18-12-8-18 4-22Z',
    ) +
    shape(
      colours.water[1],
      'M470 812c110 16 226 30 230 74 6 58-130 74-190 124h126c30-54 150-72 166-118 14-50-150-62-332-80Z',
    ) +
    shape(colours.hills[2], 'M-10 830c170-30 330-6 420 62 50 38 62 70 66 118H-10Z') +
    shape(colours.tree, `${poplar(120, 850, 150)}${poplar(164, 856, 190)}${poplar(208, 862, 160)}`) +
    shape(colours.meadow, 'M1010 852c-150 0-300 44-410 158h410Z') +
    shape(colours.meadow, 'M-10 950c120-30 220-16 300 60H-10Z'),
  // One great mountain.
  (colours, chance) => {
    const x = 560 + chance(160)
    return (
      sunAt(colours, x - 330, 610, 50) +
      shape(colours.far, ridge(chance, 690, 50, 7)) +
      shape(
        colours.near,
        `M${x - 520} 800C${x - 300} 740 ${x - 190} 680 ${x - 66} 566c20-20 36-26 58-14 18 10 30 0 52 8 26 10 40 36 60 62 92 116 214 206 420 276Z`,
      ) +
      shape(
        '#fffdf6',
        `M${x - 66} 566c20-20 36-26 58-14 18 10 30 0 52 8 26 10 40 36 60 62l34 42c-26 4-40-22-62-18-22 6-26 44-48 46-24 0-24-52-50-50-26 4-22 56-48 54-24-4-14-44-42-38-22 6-34 26-62 36Z`,
      ) +
      shape(colours.hills[0], ridge(chance, 790, 50, 4)) +
      shape(colours.tree, [0, 1, 2, 3, 4].map((at) => poplar(90 + at * 38, 838, 62 + chance(50))).join('')) +
      shape(colours.hills[1], 'M-10 824c210-24 380 0 540 36 160 32 330 26 490-14v164H-10Z') +
      shape(colours.hills[2], 'M-10 880c220-20 420 14 580 70 90 30 170 50 240 60H-10Z') +
      shape(colours.meadow, 'M1010 880c-190 4-390 54-560 130h560Z')
    )
  },
  // A row of poplars.
  (colours, chance) =>
    sunAt(colours, 180 + chance(120), 622, 62) +
    ranges(colours, chance, 690) +
    shape(colours.hills[0], ridge(chance, 780, 30, 4)) +
    shape(
      colours.tree,
      [0, 1, 2, 3, 4, 5, 6].map((at) => poplar(400 + at * 74, 850, 200 + chance(3) * 26 + at * 8)).join(''),
    ) +
    shape(colours.hills[1], 'M-10 836c230-30 420 0 600 8 160 6 290-4 430-20v186H-10Z') +
    shape(colours.crop, 'M-10 880c260-34 560-20 1030 22v52c-400-60-740-60-1030-16Z') +
    shape(colours.hills[2], 'M-10 930c300-44 640-32 1030 36v44H-10Z') +
    shape(colours.meadow, 'M-10 976c200-30 420-20 620 34H-10Z'),
  // A field of wheat, its rows meeting at the horizon.
  (colours, chance) =>
    sunAt(colours, 440 + chance(120), 664, 80) +
    shape(colours.far, ridge(chance, 706, 56, 7)) +
    shape(colours.hills[0], ridge(chance, 748, 30, 4)) +
    shape(colours.hills[1], 'M-10 756c170-20 330-14 500-8 180 6 350 4 530-10v272H-10Z') +
    shape(colours.crop, 'M-10 806c320-50 700-50 1030 0v204H-10Z') +
    `<g stroke="${colours.hills[1]}" stroke-width="9" fill="none" opacity=".5"><path d="${[
      -4, -3, -2, -1, 0, 1, 2, 3, 4,
    ]
      .map(
        (at) =>
          `M${500 + at * 44} ${770 + Math.abs(at) * 2}C${500 + at * 70} 820 ${500 + at * 130} 900 ${500 + at * 210} 1020`,
      )
      .join('')}"/></g>` +
    [
      [118, 1010, 330],
      [196, 1020, 270],
      [886, 1010, 300],
      [806, 1020, 236],
      [950, 1020, 230],
      [46, 1020, 240],
    ]
      .map(([x, y, height]) => ear(colours, x!, y!, height! + chance(30)))
      .join(''),
  // The sea.
  (colours, chance) => {
    const x = 300 + chance(400)
    return (
      sunAt(colours, x, 690, 92) +
      shape(colours.water[1], 'M-10 700h1030v310H-10Z') +
      `<g fill="${colours.sun}" opacity=".55">${[0, 1, 2, 3, 4]
        .map(
          (at) =>
            `<rect x="${x - 96 + at * 13}" y="${716 + at * 24}" width="${192 - at * 26}" height="8" rx="4"/>`,
        )
        .join('')}</g>` +
      shape(colours.far, 'M1010 610c-60-8-110 12-150 44-30 24-70 36-130 46h280Z') +
      shape(colours.near, 'M-10 640c70 0 120 22 170 40 26 10 54 16 90 20H-10Z') +
      shape(colours.hills[0], 'M-10 790c120-26 210 14 340 8s210-40 340-32c130 6 220 36 350 12v232H-10Z') +
      shape(
        colours.hills[1],
        'M-10 856c140-30 230 18 370 8 120-8 200-44 330-34 120 8 210 34 330 10v170H-10Z',
      ) +
      shape(
        colours.hills[2],
        'M-10 920c150-26 250 20 390 8 130-10 210-40 330-30 110 8 200 30 310 10v102H-10Z',
      ) +
      shape(colours.meadow, 'M-10 972c170-20 270 18 410 10 130-8 220-30 330-20 110 8 190 20 290 8v50H-10Z')
    )
  },
  // A path to a tree on a hill.
  (colours, chance) =>
    sunAt(colours, 648 + chance(60), 640, 84) +
    shape(colours.far, ridge(chance, 720, 50, 6)) +
    shape(colours.hills[0], ridge(chance, 780, 36, 4)) +
    shape(colours.hills[1], 'M-10 850c220-10 380-110 640-130 150-8 280 50 390 110v180H-10Z') +
    shape(colours.tree, oak(668, 732, 150)) +
    shape(
      colours.crop,
      'M664 726c-40 24-108 42-96 70 14 32 150 34 140 82-12 54-300 60-420 132h236c60-70 330-62 326-140-4-62-180-62-190-88-8-22 20-34 16-56Z',
    ) +
    shape(colours.hills[2], 'M-10 906c150-20 280 4 372 104H-10Z') +
    shape(colours.meadow, 'M1010 890c-120 0-260 40-360 120h360Z'),
  // Sheep on a hillside.
  (colours, chance) =>
    sunAt(colours, 180 + chance(160), 612, 58) +
    ranges(colours, chance, 670) +
    shape(colours.hills[0], ridge(chance, 770, 40, 4)) +
    shape(colours.tree, `${oak(830, 800, 120)}${oak(920, 812, 86)}`) +
    shape(colours.hills[1], 'M-10 850c200-70 420-90 640-40 140 32 260 40 390 26v174H-10Z') +
    [
      [330, 816, 1.15],
      [470, 812, 0.95],
      [236, 862, 1.3],
      [600, 836, 1.05],
    ]
      .map(([x, y, scale]) => sheep(colours, x! + chance(24), y! + chance(12), scale!))
      .join('') +
    shape(colours.hills[2], 'M-10 930c220-60 470-40 660 14 120 32 250 34 370 14v52H-10Z') +
    `<g stroke="${colours.meadow}" stroke-width="7" fill="none"><path d="M-10 892c200-46 470-34 690 26 110 28 220 30 340 16"/><path d="M40 920v-66M180 900v-66M330 892v-66M480 900v-66M630 926v-66M780 952v-66M930 956v-66"/></g>` +
    shape(colours.meadow, 'M-10 968c250-40 520-20 700 42H-10Z'),
]

function ear({ crop, hills }: CoverPalette, x: number, y: number, height: number): string {
  const top = y - height
  const grains = [0, 1, 2, 3, 4, 5].map((at) => {
    const place = top + at * 21
    return `M${x} ${place + 20}c-20-2-26-16-22-30 14 4 22 14 22 30c0-16 8-26 22-30 4 14-2 28-22 30Z`
  })
  return `<g><path d="M${x} ${y}V${top + 8}" stroke="${hills[2]}" stroke-width="6"/>${shape(
    crop,
    `M${x} ${top + 4}c-9-12-9-26 0-40 9 14 9 28 0 40Z${grains.join('')}`,
  ).replace('<path ', `<path stroke="${hills[2]}" stroke-width="4" `)}</g>`
}

function sheep({ wall, tree }: CoverPalette, x: number, y: number, scale: number): string {
  return `<g transform="translate(${x} ${y}) scale(${scale})">${shape(tree, 'M-18-6h5v20h-5Zm24 0h5v20H6Zm-12 0h5v19h-5Zm24 0h5v19h-5Z')}${shape(
    wall[0],
    'M-30-20c-4-16 10-24 20-20 6-10 24-10 30 0 14-4 22 8 18 20 4 12-10 20-22 16-8 6-18 6-24 0-12 4-26-4-22-16Z',
  )}${shape(tree, 'M-30-32c-14-6-22 2-24 16-1 8 10 12 16 6 8-4 12-14 8-22Z')}</g>`
}

/** The landscape of a cover, over its sky. */
export function drawScene(colours: CoverPalette, chance: Chance): string {
  const drawn = scenes[chance(scenes.length)]!(colours, chance)
  return chance(2) === 0 ? drawn : `<g transform="matrix(-1 0 0 1 1000 0)">${drawn}</g>`
}
