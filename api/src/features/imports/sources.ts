import type { ImportAnswers } from '@fellowship/schema/imports/imports.contract'
import { importLimits as limits } from '@fellowship/schema/imports/imports.limits'
import { importTexts as texts } from '@fellowship/schema/imports/imports.texts'
import type { Guest } from '../../machine/guest-fetch.ts'
import { parseXml, XmlBroken, type XmlElement } from '../../machine/xml.ts'
import type { IncomingTeaching, SourceKind } from '@fellowship/schema/imports/incoming-teaching'
import { oldestFirst, SourceRefused, type ReadSource } from './incoming.ts'
import { readCsv } from './source-csv.ts'
import { readFeed } from './source-feed.ts'
import { readFolder } from './source-folder.ts'
import { isWxr, readWxr } from './source-wxr.ts'
import { textOfBytes } from './text-of-bytes.ts'

export interface Source {
  readonly kind: SourceKind
  /** The address, or the name of the file or folder. */
  readonly source: string
  /** The text of a file. */
  readonly document: string | null
}

/** How long the pages of a source may take together. */
const documentMs = 60_000

/**
 * Reads all teachings that a source describes.
 *
 * @param place the path of a folder or archive, if it is not its name
 * @throws SourceRefused, GuestRefused
 */
export async function readSource(
  { kind, source, document, place = source }: Source & { place?: string },
  answers: Pick<ImportAnswers, 'columns' | 'dateOrder'>,
  guest: Guest,
): Promise<ReadSource> {
  const read = await (kind === 'address'
    ? readAddress(source, answers, guest)
    : kind === 'folder' || kind === 'archive'
      ? readFolder(place, answers, source)
      : readText(document ?? '', { base: '', answers, nextChannel: async () => undefined }))
  if (read.items.length === 0) throw new SourceRefused(texts.empty)
  if (read.items.length > limits.items) throw new SourceRefused(texts.tooMany)
  return read
}

async function readAddress(address: string, answers: Answers, guest: Guest): Promise<ReadSource> {
  const fetched = async (url: string) => {
    const { bytes, url: last } = await guest.read(url, {
      maxBytes: limits.documentBytes,
      totalMs: documentMs,
    })
    return { text: textOfBytes(bytes), base: last }
  }
  const { text, base } = await fetched(address)
  const nextChannel = async (next: string) => channelOf((await fetched(next)).text)
  const read = await readText(text, { base, answers, nextChannel })
  return { ...read, feeds: [...new Set([address, base, ...read.feeds])] }
}

type Answers = Pick<ImportAnswers, 'columns' | 'dateOrder'>

interface Reading {
  /** From which relative addresses are resolved. */
  readonly base: string
  readonly answers: Answers
  readonly nextChannel: (address: string) => Promise<XmlElement | undefined>
}

/** Reads a feed, an export or a table. Follows the pages of a feed by `nextChannel`. */
async function readText(text: string, { base, answers, nextChannel }: Reading): Promise<ReadSource> {
  if (!/^\uFEFF?\s*</.test(text)) return readCsv(text, answers, base)
  const channel = channelOf(text)
  if (isWxr(channel)) return readWxr(channel)
  const first = readFeed(channel, base)
  const known = new Map<string, IncomingTeaching>()
  const visited = new Set([base])
  const items: IncomingTeaching[] = []
  for (let page = first; ;) {
    let isNew = false
    for (const item of page.items) {
      // The second of two is judged as such; a page that repeats another one ends the paging.
      if (page !== first && known.has(item.guid)) continue
      isNew ||= !known.has(item.guid)
      known.set(item.guid, item)
      items.push(item)
    }
    if (page.next === '' || visited.has(page.next) || visited.size >= limits.pages || !isNew) break
    if (items.length > limits.items) break
    visited.add(page.next)
    const next = await nextChannel(page.next)
    if (!next) break
    page = readFeed(next, page.next)
  }
  return {
    title: first.title,
    podcastGuid: first.podcastGuid,
    feeds: [first.self].filter((feed) => feed !== ''),
    items: oldestFirst(items, true),
  }
}

/** @throws SourceRefused */
function channelOf(text: string): XmlElement {
  if (/<!ENTITY/i.test(text)) throw new SourceRefused(texts.entities)
  if (/^\s*(?:<!doctype html|<html)/i.test(text)) throw new SourceRefused(texts.webPage)
  const channel = rootsOf(text)['rss']?.[0]?.children['channel']?.[0]
  if (!channel) throw new SourceRefused(texts.notRead)
  return channel
}

/** Characters that XML forbids, and bare ampersands, are in many exports. */
function rootsOf(text: string): XmlElement['children'] {
  const clean = text.replace(/^\uFEFF/, '').replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '')
  const attempts = [clean, clean.replace(/&(?!(?:#\d+|#x[\da-f]+|[a-z]\w*);)/gi, '&amp;')]
  let broken = ''
  for (const attempt of attempts)
    try {
      return parseXml(attempt.trimStart())
    } catch (error) {
      // Nesting without end exceeds the stack.
      if (!(error instanceof XmlBroken || error instanceof Error)) throw error
      broken ||= error instanceof XmlBroken ? error.message : 'it is nested too deeply'
    }
  throw new SourceRefused(texts.brokenXml(broken))
}
