import { useChurch } from '../lib/use-church.ts'

/** The church's logo, or ours: an ear of wheat whose lowest leaves make a cross, over two hills and a river. */
export function Mark({ className }: { className: string }) {
  const { logo } = useChurch()
  if (logo) return <img src={logo} alt="" className={`${className} object-contain`} />
  return (
    <svg viewBox="0 0 48 48" aria-hidden="true" className={className}>
      <circle cx="24" cy="24" r="24" className="fill-pine" />
      <path
        d="M1.6 32.6C9 27.4 17.4 27.6 25 30.4c7.6 2.7 14.7 2.5 21.5-1.2A24 24 0 0 1 1.6 32.6Z"
        className="fill-on-pine"
        opacity=".25"
      />
      <path
        d="M5.2 38.8c9.3-5.6 18.8-5.4 26-3.1 4.8 1.5 8.3 1.5 12.3.3A24 24 0 0 1 5.2 38.8Z"
        className="fill-on-pine"
        opacity=".4"
      />
      <g className="fill-none stroke-on-pine" strokeWidth="2.6" strokeLinecap="round">
        <path d="M24 36V12.5" />
        <path d="M14.5 21.5h19" />
      </g>
      <g className="fill-wheat">
        <path d="M24 6.2c2.1 2.3 2.1 5 0 7.3-2.1-2.3-2.1-5 0-7.3Z" />
        <path d="M25.3 17.6c.1-3.1 1.9-5.1 5-5.5-.1 3.1-1.9 5.1-5 5.5Z" />
        <path d="M22.7 17.6c-.1-3.1-1.9-5.1-5-5.5.1 3.1 1.9 5.1 5 5.5Z" />
      </g>
    </svg>
  )
}
