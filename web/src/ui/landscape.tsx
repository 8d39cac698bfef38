import { classNames } from '../lib/class-names.ts'

/**
 * An illustration of the country around the church: ranges, hills, a river, a small hall. Its colours are design tokens,
 * so that dark mode shows a moon, stars and lit windows. Decoration, hidden from screen readers.
 */
export function Landscape({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 1440 560"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
      className={classNames('block w-full overflow-visible', className)}
    >
      <Stars />
      <circle cx="906" cy="236" r="84" className="fill-sun" opacity=".2" />
      <circle cx="906" cy="236" r="44" className="fill-sun" />
      <path
        className="fill-range-far"
        d="M0 282c54-8 92-36 146-50 12-3 20-1 30 5 26 15 50 21 78 16 48-9 80-54 132-72 12-4 24-3 34 4 34 24 62 52 100 58 38 6 62-20 104-30 46-10 84 28 132 44 60 20 104-22 162-42 14-5 28-4 40 3 34 20 66 42 100 42 42 0 76-28 118-36 46-8 78 22 120 32 52 12 96 2 144-8v312H0Z"
      />
      <path
        className="fill-range-near"
        d="M0 318c92-34 150-30 226-12 84 18 130-26 214-42 90-14 148 40 236 44 92 2 140-42 236-48 90-2 150 44 236 48 100 4 176-30 292-36v288H0Z"
      />
      <path
        className="fill-hill-far"
        d="M0 366c120-46 226-52 336-28 122 26 212 28 330-6 128-36 232-34 352-2 124 32 268 30 422-24v254H0Z"
      />
      <Trees />
      <path
        className="fill-hill-mid"
        d="M0 388c150-26 292-14 424 14 94 20 190 28 286 12 110-18 198-2 300-14 150-18 284-44 430-46v206H0Z"
      />
      <Paddock />
      <River />
      <path className="fill-hill-near" d="M0 436c150-26 300-12 412 26 82 28 118 58 128 98H0Z" />
      <path className="fill-hill-near" d="M1440 456c-166-8-318 14-438 54-48 16-78 32-96 50h534Z" />
      <Hall />
      <path className="fill-meadow" d="M0 508c150-26 274-14 372 52H0Z" />
      <path className="fill-meadow" d="M1440 514c-160-18-280-2-384 46h384Z" />
    </svg>
  )
}

function Paddock() {
  return (
    <>
      <path
        className="fill-crop"
        d="M1440 400c-120 2-228 18-326 44-62 16-118 30-170 36l36 34c160-6 312-34 460-54Z"
      />
      <g className="fill-none stroke-hill-mid" strokeOpacity=".6" strokeWidth="2.5">
        <path d="M1440 416c-150 4-280 28-412 62" />
        <path d="M1440 434c-140 6-260 26-392 56" />
      </g>
    </>
  )
}

function River() {
  return (
    <>
      <path
        className="fill-river"
        d="M752 406c-40 4-76 9-78 16-3 9 88 12 98 28 12 20-122 34-176 110h232c-46-34-6-64 4-88 12-28-96-34-112-46-7-6 10-14 32-20Z"
      />
      <path
        className="fill-river-deep"
        d="M716 430c46 7 94 14 96 32 3 26-116 46-160 98h92c12-32 66-58 72-86 6-26-54-34-100-44Z"
      />
    </>
  )
}

/** Poplars and a shelter belt. */
function Trees() {
  const poplars = [
    [214, 376, 58],
    [234, 378, 72],
    [256, 380, 64],
    [278, 383, 50],
    [1170, 384, 48],
    [1189, 382, 62],
    [1209, 380, 54],
  ] as const
  return (
    <g className="fill-tree">
      {poplars.map(([x, y, height]) => (
        <path
          key={x}
          d={`M${x} ${y}c-10-6-11-${height * 0.55} 0-${height} 11 ${height * 0.45} 10 ${height - 6} 0 ${height}Z`}
        />
      ))}
      <path d="M1252 380c-2-18 14-28 28-20 6-16 28-16 34 0 12-8 26 0 26 14 12-4 20 2 22 12Z" />
    </g>
  )
}

function Hall() {
  return (
    <g>
      <path className="fill-tree" d="M316 458c-8-22 6-40 24-36 6-20 38-20 44 0 16-2 28 16 20 36Z" />
      <path className="fill-wall-shade" d="M452 410h104v50H452Z" />
      <path className="fill-wall" d="M390 412l36-31 36 31v48h-72Z" />
      <path className="fill-roof" d="M426 373h112l26 40H462Z" />
      <path className="fill-roof" d="M426 370l-44 39 5 6 39-34 39 34 5-6Z" />
      <path className="fill-roof" d="M417 460v-21q9-11 18 0v21Z" />
      <path className="fill-window" d="M478 424h13v18h-13Zm24 0h13v18h-13Zm24 0h13v18h-13Z" />
      <path className="fill-roof" d="M424.5 344h3v28h-3Zm-7 8h17v3h-17Z" />
    </g>
  )
}

function Stars() {
  const stars = [
    [120, 92, 1.6],
    [248, 48, 2.2],
    [362, 118, 1.4],
    [486, 62, 1.8],
    [604, 104, 1.4],
    [690, 40, 2],
    [778, 84, 1.4],
    [1046, 58, 2.2],
    [1150, 110, 1.5],
    [1258, 44, 1.8],
    [1362, 96, 2],
  ] as const
  return (
    <g className="fill-star">
      {stars.map(([x, y, r]) => (
        <circle key={x} cx={x} cy={y} r={r} />
      ))}
    </g>
  )
}
