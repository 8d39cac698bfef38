import { plainPng } from '@fellowship/api/testing/sample-pictures'

/** A picture as somebody would upload it: a PNG of a thousand by twelve hundred pixels. */
export const portrait = async (): Promise<Buffer> => plainPng(1_000, 1_200)
