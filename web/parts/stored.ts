/** A small value that this browser stores across reloads. If the browser stores nothing, nothing breaks. */

export interface Stored<T> {
  get(): T | null
  /** null: forget it. */
  set(value: T | null): void
}

export function stored<T>(key: string): Stored<T> {
  return {
    get() {
      try {
        return JSON.parse(localStorage.getItem(key) ?? 'null') as T | null
      } catch {
        return null
      }
    },
    set(value) {
      try {
        if (value === null) localStorage.removeItem(key)
        else localStorage.setItem(key, JSON.stringify(value))
      } catch {
        // It is full, or not allowed: then it is gone with the page.
      }
    },
  }
}
