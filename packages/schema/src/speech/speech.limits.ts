/** Machine drafts of transcripts. */
export const speechLimits = {
  /** Tries until a recording counts as impossible, and minutes between two of them. */
  tries: 3,
  minutesBetween: 60,
  /** Seconds of speech in one request. */
  partSeconds: 600,
  /** Seconds of silence that are cut out, and seconds that stay on both sides of the speech. */
  silence: 2,
  margin: 0.3,
  /** Longer recordings are not sent. */
  recordingSeconds: 4 * 60 * 60,
  /** Seconds that one request may take: some to begin with, and some for each second of speech. */
  waitSeconds: 120,
  waitPerSecond: 6,
  /** Bytes of one answer. */
  answerBytes: 2 * 1024 * 1024,
  /** Characters of the list of words, of which the first ones are sent as a hint. */
  words: 4_000,
  hint: 800,
  /** Letters of names that the words of a text are compared with, and spellings that the editor shows. */
  comparedName: 5,
  shownNames: 20,
  /** Characters after which a sentence without a full stop ends at the next pause. */
  sentence: 300,
} as const
