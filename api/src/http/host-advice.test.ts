import { expect, test } from 'vitest'
import { hostAdvice } from './host-advice.ts'

function said(publicUrl: string | undefined, ...origins: (string | undefined)[]): string[] {
  const lines: string[] = []
  const advise = hostAdvice()
  const context = { config: { publicUrl }, log: { warn: (line: unknown) => void lines.push(String(line)) } }
  for (const origin of origins) advise({ origin, host: '127.0.0.1:3000' }, context)
  return lines
}

test('says nothing where PUBLIC_URL is set, or where the request has no usable Origin', () => {
  expect(said('https://a.nz', 'https://b.nz')).toEqual([])
  expect(said(undefined, undefined, 'null')).toEqual([])
})

test('behind a proxy that drops Host, one line says what to set', () => {
  const lines = said(undefined, 'https://teaching.example.org', 'https://teaching.example.org')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/https:\/\/teaching\.example\.org was refused.*set PUBLIC_URL to it/)
})
