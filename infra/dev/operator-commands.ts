/** What an operator runs besides the server, by the name of its npm script; the rest of infra/dev is for developers. */
export const operatorCommands = {
  'backup:restore': 'backup-restore',
  'storage:move': 'storage-move',
  'admin:unlock': 'admin-unlock',
  'sign-out:everyone': 'sign-out-everyone',
  'passages:import': 'passages-import',
}
