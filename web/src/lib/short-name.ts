/** A file name with its middle left out, as its date and its ending tell files apart. */
export function shortName(name: string, most = 40): string {
  const letters = [...name]
  if (letters.length <= most) return name
  const end = Math.floor((most - 1) / 3)
  return `${letters.slice(0, most - 1 - end).join('')}…${letters.slice(-end).join('')}`
}
