import { expect, test } from 'vitest'
import { testClock } from '../machine/clock.ts'
import { hostAdvice, knownOrigins } from './origins.ts'

test('invented names do not replace the names in use', () => {
  const clock = testClock('2026-11-22T10:00:00Z')
  const isKnown = knownOrigins(clock)
  expect(isKnown('http://church')).toBe(true)
  const admitted = Array.from({ length: 1000 }, (_, at) => isKnown(`http://h${at}`)).filter(Boolean)
  expect(admitted).toHaveLength(4)
  expect(isKnown('http://h500')).toBe(false)
  clock.advance(10_001)
  expect(isKnown('http://church')).toBe(true)
  for (let minute = 0; minute < 60; minute++) {
    expect(isKnown('http://church')).toBe(true)
    clock.advance(10_001)
    expect(isKnown(`http://later${minute}`)).toBe(true)
  }
  expect(isKnown('http://church')).toBe(true)
})

function said(publicUrl: string | undefined, ...origins: (string | undefined)[]): string[] {
  const lines: string[] = []
  const advise = hostAdvice()
  const context = { config: { publicUrl }, log: { warn: (line: unknown) => void lines.push(String(line)) } }
  for (const origin of origins) advise({ origin, host: '127.0.0.1:3000' }, context)
  return lines
}

test('logs nothing with PUBLIC_URL or without a usable Origin', () => {
  expect(said('https://a.nz', 'https://b.nz')).toEqual([])
  expect(said(undefined, undefined, 'null')).toEqual([])
})

test('logs one line behind a proxy that drops Host', () => {
  const lines = said(undefined, 'https://teaching.example.org', 'https://teaching.example.org')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/https:\/\/teaching\.example\.org was refused.*set PUBLIC_URL to it/)
})
