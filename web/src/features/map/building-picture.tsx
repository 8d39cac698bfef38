/** An illustration of the building, until a photograph replaces it. */
export function BuildingPicture({ className }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 640 420"
      preserveAspectRatio="xMidYMax slice"
      role="img"
      aria-label="Drawing of the church building: a small hall with a gable, a porch and three windows"
      className={className}
    >
      <rect width="640" height="420" className="fill-sky-low" />
      <circle cx="520" cy="92" r="40" className="fill-sun" />
      <path d="M0 236c90-50 160-46 250-16s150 8 220-20 120-14 170 6v214H0Z" className="fill-range-near" />
      <path d="M0 288c120-44 210-30 320-10s210-8 320-26v168H0Z" className="fill-hill-mid" />
      <g className="fill-tree">
        <path d="M70 336c-22-14-26-110 0-150 26 40 22 136 0 150Z" />
        <path d="M112 340c-18-12-22-90 0-122 22 32 18 110 0 122Z" />
        <path d="M546 342c-22-14-52-26-42-56-10-28 16-52 42-44 18-24 60-16 62 14 30 4 34 46 12 58-14 22-44 32-74 28Z" />
      </g>
      <path d="M306 214h196v140H306Z" className="fill-wall-shade" />
      <path d="M162 226l78-70 78 70v128H162Z" className="fill-wall" />
      <path d="M240 138h212l62 82H318Z" className="fill-roof" />
      <path d="M240 132 146 218l12 14 82-74 82 74 12-14Z" className="fill-roof" />
      <path d="M238 92h5v46h-5zM227 104h27v5h-27z" className="fill-roof" />
      <path d="M216 354v-62q24-28 48 0v62Z" className="fill-roof" />
      <path d="M239 284h3v70h-3z" className="fill-wall-shade" />
      <g className="fill-window">
        <path d="M336 246h32v54h-32zM390 246h32v54h-32zM444 246h32v54h-32z" />
        <circle cx="240" cy="222" r="15" />
      </g>
      <g className="fill-none stroke-wall" strokeWidth="3">
        <path d="M352 246v54M336 272h32M406 246v54M390 272h32M460 246v54M444 272h32M240 207v30M225 222h30" />
      </g>
      <path d="M0 352c150-14 320-6 640-10v78H0Z" className="fill-hill-near" />
      <path d="M204 354h72c14 26 40 48 76 66H150c34-18 50-40 54-66Z" className="fill-crop" />
      <path d="M0 392c120-18 200 0 260 28H0ZM640 388c-110-12-190 6-250 32h250Z" className="fill-meadow" />
    </svg>
  )
}
