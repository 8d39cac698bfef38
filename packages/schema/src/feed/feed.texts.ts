/** Messages of the podcast tab of the administration. */
export const feedTexts = {
  notTested: 'The feed has not been tested yet',
  testFailed: 'The feed could not be tested',
  outcome: (faults: number, hints: number) =>
    faults > 0
      ? `Directories would not accept the feed: ${faults === 1 ? 'one thing is' : `${faults} things are`} wrong.`
      : hints > 0
        ? `Nothing in the feed is wrong. ${hints === 1 ? 'One thing' : `${hints} things`} could be better.`
        : 'Everything is in order: directories will accept the feed.',
} as const
