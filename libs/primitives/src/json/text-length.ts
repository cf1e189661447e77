/** Whether a text has at most so many characters as JSON Schema counts them: code points, some of which are two of `length`. */
export function hasAtMost(text: string, most: number): boolean {
  return text.length <= most || (text.length <= 2 * most && Array.from(text).length <= most);
}
