import { expect, test } from 'vitest'
import { nameSlug } from '../text-folding.ts'

test.each([
  ['', ''],
  ['…!', ''],
  ['../..', ''],
  ['John  Smith', 'john-smith'],
  ['Hēmi O’Brien', 'hemi-obrien'],
  ['1 Samuel', '1-samuel'],
  ['王明', '王明'],
])('%j has the slug %j', (name, slug) => expect(nameSlug(name)).toBe(slug))
