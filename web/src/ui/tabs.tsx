import { Tab, TabGroup, TabList, TabPanel, TabPanels } from '@headlessui/react'
import { useEffect, useRef, type ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import './tabs.css'

interface TabItem {
  id: string
  label: string
  content: ReactNode
}

interface TabsProps {
  /** The accessible name of the row of tabs. */
  label: string
  items: readonly TabItem[]
  /** The selected tab; an unknown one selects the first. */
  selected: string | undefined
  onSelect: (id: string) => void
  look?: 'pills' | 'underline'
}

/**
 * A row of tabs above the panel of the selected one; on a phone and a tablet it scrolls sideways, with the selected one in sight. The
 * other panels are not rendered.
 */
export function Tabs({ label, items, selected, onSelect, look = 'pills' }: TabsProps) {
  const at = Math.max(
    0,
    items.findIndex(({ id }) => id === selected),
  )
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => keepInSight(row.current, at), [at])
  return (
    <TabGroup selectedIndex={at} onChange={(index) => onSelect(items[index]!.id)}>
      <TabList ref={row} aria-label={label} className={classNames('tab-row flex', rows[look])}>
        {items.map((item) => (
          <Tab
            key={item.id}
            className={classNames('min-h-11 px-[min(1rem,5vw)] py-2 font-medium', tabs[look])}
          >
            {item.label}
          </Tab>
        ))}
      </TabList>
      <TabPanels className="mt-8">
        {items.map((item) => (
          <TabPanel key={item.id} className="rounded-card" tabIndex={-1}>
            {item.content}
          </TabPanel>
        ))}
      </TabPanels>
    </TabGroup>
  )
}

/** Scrolls the row alone, without the page. */
function keepInSight(row: HTMLElement | null, at: number): void {
  const tab = row?.children[at]
  if (!row || !(tab instanceof HTMLElement)) return
  row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.clientWidth) / 2
}

const rows = {
  pills: 'gap-2 rounded-card bg-sunk p-1.5',
  underline: 'gap-x-2 border-b border-line',
}

const tabs = {
  pills:
    'grow rounded-card text-soft transition-colors hover:text-ink sm:grow-0 ' +
    'data-selected:bg-raised data-selected:text-pine data-selected:shadow-soft',
  underline:
    '-mb-px border-b-3 border-transparent text-soft transition-colors hover:text-ink ' +
    'data-selected:border-pine data-selected:text-pine',
}
