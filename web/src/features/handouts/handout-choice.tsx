import { handoutLimits as limits, handoutMimes } from '@fellowship/schema/handouts/handouts.limits'
import { handoutTexts as texts } from '@fellowship/schema/handouts/handouts.texts'
import { useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { FileInput, showFiles } from '../../ui/file-input.tsx'

interface HandoutChoiceProps {
  disabled: boolean
  /** The files that were chosen before the field was unfolded. */
  chosen: readonly File[] | undefined
  /** Called without a file if the choice is refused, which the field shows. */
  onChosen: (files: readonly File[]) => void
}

/** Chooses the handouts of a recording that is not uploaded yet. */
export function HandoutChoice({ disabled, chosen = [], onChosen }: HandoutChoiceProps) {
  const [fault, setFault] = useState<string>()
  const choose = (input: HTMLInputElement) => {
    const files = [...(input.files ?? [])]
    const large = files.find(({ size }) => size > limits.bytes)
    const found = files.length > limits.most ? texts.tooMany : large && `${large.name}: ${texts.tooLarge}`
    setFault(found)
    onChosen(found === undefined ? files : [])
    if (found !== undefined) input.value = ''
  }
  return (
    <Field label="Handouts" optional error={fault} hint={texts.choiceHint}>
      {(control) => (
        <FileInput
          {...control}
          ref={(input) => showFiles(input, chosen)}
          multiple
          accept={handoutMimes}
          disabled={disabled}
          onChange={({ currentTarget }) => choose(currentTarget)}
        />
      )}
    </Field>
  )
}
