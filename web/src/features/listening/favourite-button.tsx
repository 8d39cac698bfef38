import { Heart } from 'lucide-react'
import { classNames } from '../../lib/class-names.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { useMarks } from './marks.ts'
import { mark } from './marks.device.ts'

export function FavouriteButton({ uid, title }: { uid: string; title: string }) {
  const isOn = useMarks(uid)?.favourite?.on ?? false
  return (
    <IconButton
      label={`Favourite: ${title}`}
      aria-pressed={isOn}
      className={classNames(isOn && 'text-pine')}
      onClick={() => void mark(uid, 'favourite', !isOn)}
    >
      <Heart className={classNames('size-5', isOn && 'fill-current')} />
    </IconButton>
  )
}
