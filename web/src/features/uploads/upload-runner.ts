import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { showToast } from '../../ui/toast.ts'
import { advance, noUpload, type UploadEffect, type UploadEvent, type UploadFlow } from './upload-flow.ts'
import { checkDuplicate, parseFilename, uploadRecording } from './uploads.queries.ts'

interface Watcher {
  onFlow: (flow: UploadFlow) => void
  /** The list may have grown; the teaching where it is known. */
  onAdded: (teaching: Teaching | null) => void
}

/** Runs a flow in the world: takes its events, tells its states, and carries out its effects. */
export function runUploads({ onFlow, onAdded }: Watcher): (event: UploadEvent) => void {
  let flow = noUpload

  function send(event: UploadEvent): void {
    const [next, ...effects] = advance(flow, event)
    flow = next
    onFlow(flow)
    for (const effect of effects) carryOut(effect)
  }

  function carryOut(effect: UploadEffect): void {
    switch (effect.type) {
      case 'parse':
        return void parse(effect.turn, effect.file)
      case 'check':
        return void checkDuplicate(effect.file.name, effect.fields).then((outcome) =>
          send({ type: 'checked', turn: effect.turn, outcome }),
        )
      case 'upload':
        return void uploadRecording(effect.file, effect.fields, (share) =>
          send({ type: 'progressed', turn: effect.turn, share }),
        ).then((outcome) => send({ type: 'finished', turn: effect.turn, outcome }))
      case 'toast':
        return showToast(effect.toast)
      case 'added':
        return onAdded(effect.teaching)
    }
  }

  async function parse(turn: number, file: File): Promise<void> {
    try {
      send({ type: 'parsed', turn, parsed: await parseFilename(file.name) })
    } catch {
      send({ type: 'parseFailed', turn })
    }
  }

  return send
}
