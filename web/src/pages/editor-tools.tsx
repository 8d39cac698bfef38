import type { ComponentProps } from 'react'
import { RowTools } from '../features/teachings/row-tools.tsx'
import { RowChoices } from './row-choices.tsx'

type EditorToolsProps = Omit<ComponentProps<typeof RowTools>, 'choices'> &
  Pick<ComponentProps<typeof RowChoices>, 'toSeries' | 'inOrder'>

/** Edit and delete; on a phone one button with all actions of a row. */
export function EditorTools({ toSeries, inOrder, ...tools }: EditorToolsProps) {
  return (
    <RowTools
      {...tools}
      choices={(teaching, close) => (
        <RowChoices teaching={teaching} toSeries={toSeries} inOrder={inOrder} onDone={close} />
      )}
    />
  )
}
