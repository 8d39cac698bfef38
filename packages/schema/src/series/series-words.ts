/** The texts of a series, as a form holds them. The order of its teachings is one field. */
export type SeriesText = { title: string; description: string; teachings: readonly string[] }
/** The changes of an edit. */
export type SeriesPatch = { [Field in keyof SeriesText]?: SeriesText[Field] | undefined }

export const emptySeries: SeriesText = { title: '', description: '', teachings: [] }

/** In the order of the form. */
export const seriesFields = Object.keys(emptySeries) as (keyof SeriesText)[]

/** The same with the labels of the form. */
export const seriesLabels = seriesFields.map((name) => ({
  name,
  label: { title: 'Title', description: 'Description', teachings: 'Teachings in order' }[name],
}))

/** The words of a row. */
export const seriesTextOf = (row: SeriesText): SeriesText =>
  Object.fromEntries(seriesFields.map((name) => [name, row[name]])) as SeriesText
