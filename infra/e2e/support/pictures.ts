import { plainPng } from '@fellowship/api/testing/sample-pictures'

/** A PNG of 1000 by 1200 pixels. */
export const portrait = async (): Promise<Buffer> => plainPng(1_000, 1_200)
