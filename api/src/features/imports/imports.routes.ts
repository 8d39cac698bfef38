import { readFile } from 'node:fs/promises'
import { importAnswers, imports, type ImportAnswers } from '@fellowship/schema/imports/imports.contract'
import { importLimits } from '@fellowship/schema/imports/imports.limits'
import { importTexts } from '@fellowship/schema/imports/imports.texts'
import { Problem } from '@fellowship/schema/problem'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import type { Context } from '../../context.ts'
import type { Actor } from '../../db/audit-log.ts'
import { serve, serveUpload, type App } from '../../http/serve.ts'
import { discardFile, receiveForm, type ReceivedFile } from '../../http/upload-stream.ts'
import { parseInput } from '../../http/input.ts'
import { parsedJson } from '../../machine/json.ts'
import { dropArchive, isArchive, keepArchive } from './archives.ts'
import { textOfBytes } from './text-of-bytes.ts'
import { confirmImport, createImport, listImports, pauseImport, readImport, undoImport } from './imports.ts'

/** Keeps an uploaded archive, and begins its dry run. */
async function beginArchive(
  context: Context,
  { staged }: ReceivedFile,
  { source, answers, actor }: { source: string; answers: ImportAnswers; actor: Actor },
): Promise<{ id: string }> {
  const id = uuidv7(context.clock.now().getTime())
  await keepArchive(context, staged.path, id)
  try {
    return await createImport(context, { kind: 'archive', source, document: null }, answers, actor, id)
  } catch (error) {
    await dropArchive(context, id)
    throw error
  }
}

export function mountImports(app: App, context: Context): void {
  serve(app, context, imports.list, () => listImports(context))
  serve(app, context, imports.create, ({ body: { source, ...options }, actor }) =>
    createImport(context, { kind: 'address', source, document: null }, options, actor),
  )
  serveUpload(app, context, imports.upload, async ({ http, actor, checkCsrfField }) => {
    const { fields, file } = await receiveForm(http.env.incoming, context, {
      filePart: 'file',
      maxFileBytes: importLimits.archiveBytes,
      onField: (name, value) => {
        if (name === '_csrf') checkCsrfField(value)
      },
    }).catch((error: unknown) => {
      const isLarge = error instanceof Problem && error.code === 'too_large'
      throw isLarge ? new Problem('too_large', importTexts.archiveTooLarge) : error
    })
    try {
      if (!fields.has('_csrf')) checkCsrfField(undefined)
      if (!file) throw new Problem('invalid_input', importTexts.chooseFile)
      const answers = parseInput(importAnswers, parsedJson(Buffer.from(fields.get('answers') ?? '{}')))
      await file.staged.finish()
      const source = file.name.slice(0, importLimits.address)
      if (await isArchive(file.staged.path))
        return await beginArchive(context, file, { source, answers, actor })
      if (file.staged.bytes > importLimits.documentBytes)
        throw new Problem('too_large', importTexts.documentTooLarge)
      // PostgreSQL stores no NUL.
      const document = textOfBytes(await readFile(file.staged.path)).replaceAll('\0', '')
      return await createImport(context, { kind: 'file', source, document }, answers, actor)
    } finally {
      if (file) await discardFile(file)
    }
  })
  serve(app, context, imports.read, ({ params }) => readImport(context, params.id))
  serve(app, context, imports.confirm, ({ params, body, actor }) =>
    confirmImport(context, params.id, body, actor),
  )
  serve(app, context, imports.pause, ({ params }) => pauseImport(context, params.id))
  serve(app, context, imports.undo, ({ params, actor }) => undoImport(context, params.id, actor))
}
