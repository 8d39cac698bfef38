import type { Rolldown } from 'vite'

type Chunk = Rolldown.OutputChunk
type Chunks = ReadonlyMap<string, Chunk>

/** The chunks of a build, by file name. */
export const chunksOf = (bundle: Rolldown.OutputBundle): Chunks =>
  new Map(
    Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])),
  )

/** The chunk that a module of `src` begins. */
export function moduleChunk(chunks: Chunks, module: string): Chunk {
  const found = [...chunks.values()].find(({ facadeModuleId }) =>
    facadeModuleId?.endsWith(`/src/${module}.tsx`),
  )
  if (!found) throw new Error(`The build has no chunk for ${module}.tsx.`)
  return found
}

/** The chunk and its static imports, at any depth; does not follow the imports of a chunk if `isEnd` returns true. */
export function importedBy(start: Chunk, chunks: Chunks, isEnd = (_chunk: Chunk) => false): Chunk[] {
  const found = new Set([start])
  // The iteration includes chunks that are added during it.
  for (const chunk of found)
    for (const name of isEnd(chunk) ? [] : chunk.imports) {
      const imported = chunks.get(name)
      if (imported) found.add(imported)
    }
  return [...found]
}
