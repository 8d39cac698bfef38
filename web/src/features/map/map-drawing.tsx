import { church } from '@fellowship/schema/church'

/** The visible words of the drawing. */
export const streetName = church.address.street.replace(/^\d+\s*/, '')

/** A drawing of the location, shown if the map cannot load: not to scale, and always available. */
export function DrawnMap({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 640 420"
      preserveAspectRatio="xMidYMid slice"
      role="img"
      aria-label={`Drawing of the streets around ${church.address.line}, not to scale`}
      className={className}
    >
      <rect width="640" height="420" className="fill-sky-high" />
      <path d="M0 0h640v120C540 96 470 132 380 118S180 60 0 98Z" className="fill-hill-far/45" />
      <path d="M0 330c120-30 220 14 330 2s200-40 310-14v102H0Z" className="fill-hill-far/45" />
      <path
        d="M-20 392c90-34 150 6 240-14s120-62 220-52 130 34 220 10"
        className="fill-none stroke-river-deep"
        strokeWidth="26"
        strokeLinecap="round"
      />
      <g className="fill-none stroke-paper-raised" strokeLinecap="round">
        <path d="M-10 250 660 168" strokeWidth="22" className="stroke-raised" />
        <path d="M330 -10 372 430" strokeWidth="16" className="stroke-raised" />
        <path d="M120 -10 156 430M520 -10 552 430" strokeWidth="10" className="stroke-raised" />
        <path d="M-10 130 660 60M-10 340 660 276" strokeWidth="8" className="stroke-raised" />
      </g>
      <g className="fill-crop">
        <path d="M176 148 306 134 312 172 182 190Z" />
        <path d="M576 82 640 76v64l-56 6Z" />
        <path d="M0 152 108 140 114 210 0 224Z" />
      </g>
      <g className="fill-hill-mid">
        <circle cx="210" cy="282" r="16" />
        <circle cx="236" cy="296" r="12" />
        <circle cx="470" cy="112" r="14" />
        <circle cx="492" cy="124" r="10" />
        <circle cx="60" cy="292" r="13" />
      </g>
      <g className="fill-wall-shade stroke-line-strong/40">
        <path d="M396 150h34v22h-34zM446 142h26v26h-26zM266 236h30v24h-30zM400 246h40v20h-40zM458 236h26v24h-26z" />
        <path d="M190 98h30v20h-30zM250 92h26v22h-26zM404 84h30v20h-30z" />
      </g>
      <text
        x="112"
        y="245"
        transform="rotate(-7 112 245)"
        className="fill-ink font-sans text-[19px] font-medium"
      >
        {streetName}
      </text>
      <path
        d="M330 214c-14-18-21-28-21-38a21 21 0 0 1 42 0c0 10-7 20-21 38Z"
        className="fill-pine stroke-raised"
        strokeWidth="3"
      />
      <path
        d="M330 164v22M322 171h16"
        className="fill-none stroke-on-pine"
        strokeWidth="3.4"
        strokeLinecap="round"
      />
      <g transform="translate(592 372)" className="fill-none stroke-soft" strokeWidth="2.5">
        <path d="M0 22V-16M-7-8 0-18l7 10" strokeLinecap="round" strokeLinejoin="round" />
        {/* An N. It is no text, because the name of a button around the drawing would have to contain it. */}
        <path d="M-4.5-27v-12l9 12v-12" strokeLinecap="round" strokeLinejoin="round" />
      </g>
    </svg>
  )
}
