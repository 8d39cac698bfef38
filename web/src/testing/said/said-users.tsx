import { aManagedUser } from '@fellowship/schema/testing/builders'
import { renderSite } from '../render-site.tsx'
import { testServer } from '../test-server.ts'
import { fillIn, press, refused, type Scenario } from './scenario.ts'

const admin = { id: 1, name: 'Anna', email: 'anna@example.test', role: 'admin' as const }
const list = { 'GET /api/admin/users': () => ({ body: [aManagedUser({ id: 7, name: 'Mere' })] }) }

export const saidByUsers: readonly Scenario[] = [
  {
    says: ['No users found'],
    bring: async () => {
      await testServer({ 'GET /api/admin/users': () => ({ body: [] }) })
      renderSite('/manage', admin)
    },
  },
  {
    says: ['Failed to load users: …'],
    bring: async () => {
      await testServer({ 'GET /api/admin/users': () => refused() })
      renderSite('/manage', admin)
    },
  },
  {
    says: ['Are you sure you want to delete …?'],
    bring: async () => {
      await testServer(list)
      renderSite('/manage', admin)
      await press('Delete Mere')
    },
  },
  {
    says: ['Deletion failed'],
    bring: async () => {
      await testServer({ ...list, 'DELETE /api/admin/users/7': () => refused() })
      renderSite('/manage', admin)
      await press('Delete Mere')
      await press('Delete')
    },
  },
  {
    says: ['Creation failed'],
    bring: async () => {
      await testServer({ ...list, 'POST /api/admin/users': () => refused() })
      renderSite('/manage', admin)
      await press('Add User')
      await fillIn({ Name: 'Ben', Email: 'ben@example.test', Password: 'Long enough 1' })
      await press('Create User')
    },
  },
  {
    says: ['Update failed'],
    bring: async () => {
      await testServer({ ...list, 'PUT /api/admin/users/7': () => refused() })
      renderSite('/manage', admin)
      await press('Edit Mere')
      await fillIn({ Name: 'Mere Smith' })
      await press('Save')
    },
  },
]
