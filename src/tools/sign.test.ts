import { expect, test } from 'vitest'
import { signsOf } from './sign.ts'

test.each([
  ['npm test', ['script test']],
  ['npm run test -- --coverage', ['script test']],
  ['CI=1 yarn test:unit', ['script test:unit']],
  ['pnpm run --silent lint && pnpm build', ['script lint', 'script build']],
  ['bun run test', ['script test']],
  ['npm ci', []],
  ['make -j4 check', ['make check']],
  ['just test', ['just test']],
  ['tox -e py311', ['tox']],
  ['uv run --frozen pytest', ['pytest']],
  ['uv run pytest -x', ['pytest']],
  ['PYTHONPATH=src .venv/bin/python -m pytest', ['pytest']],
  ['GOMODCACHE="$PWD/.gomodcache" GOFLAGS=-modcacherw go test ./...', ['go test']],
  ['npx vitest run', ['vitest']],
  ['if true; then npm test; fi', []],
  ['echo "$(npm test)"', ['echo']],
  ['', []],
])('what %s is for', (run, signs) => {
  expect(signsOf(run)).toEqual(signs)
})
