/** Commands of an operator, by the name of the npm script; the rest of infra/dev is for developers. */
export const operatorCommands = {
  'backup:restore': 'backup-restore',
  'storage:move': 'storage-move',
  'admin:unlock': 'admin-unlock',
  'sign-out:everyone': 'sign-out-everyone',
  'passages:import': 'passages-import',
  site: 'site',
  import: 'import',
  export: 'export',
}
