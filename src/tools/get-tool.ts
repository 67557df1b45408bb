/** How to install a program that a project needs and that is missing on this machine, for people. */

const HOW: Readonly<Record<string, string>> = {
  pnpm: 'npm install --global pnpm, or corepack enable',
  yarn: 'npm install --global yarn, or corepack enable',
  bun: 'npm install --global bun',
  deno: 'npm install --global deno',
  uv: 'pipx install uv, or see docs.astral.sh/uv',
  poetry: 'pipx install poetry',
  python3: 'apt-get install python3 python3-venv',
  go: 'apt-get install golang-go, or see go.dev/dl',
  cargo: 'apt-get install cargo, or see rustup.rs',
  make: 'apt-get install make',
  cmake: 'apt-get install cmake',
  meson: 'apt-get install meson',
  ruby: 'apt-get install ruby',
  bundle: 'gem install bundler',
  rspec: 'gem install rspec',
  php: 'apt-get install php-cli',
  phpunit: 'apt-get install phpunit',
  composer: 'apt-get install composer',
  mvn: 'apt-get install maven',
  gradle: 'apt-get install gradle',
  just: 'apt-get install just, or npm install --global rust-just',
  task: 'npm install --global @go-task/cli',
  ruff: 'pipx install ruff',
  mypy: 'pipx install mypy',
  'golangci-lint': 'see golangci-lint.run',
  dotnet: 'see dotnet.microsoft.com',
}

/** Null for a program that nobody here knows. */
export function howToGet(program: string): string | null {
  return Object.hasOwn(HOW, program) ? (HOW[program] ?? null) : null
}
