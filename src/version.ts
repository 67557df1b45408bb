/** The version of this program: the one in package.json, which a test compares with it. */
export const version = '0.1.0'
