/** A title as part of an address: "Hello World" becomes "hello-world". */
export function slug(title) {
  return title.toLowerCase().replaceAll(' ', '-')
}
