output "inventory" {
  description = "The inventory for the playbooks; copy the group variables of the example beside it."
  value = templatefile("${path.module}/../inventory.tftpl", {
    regions = [
      { name = var.regions[0].name, servers = module.a.servers, clients = module.a.clients },
      { name = var.regions[1].name, servers = module.b.servers, clients = module.b.clients },
      { name = var.regions[2].name, servers = module.c.servers, clients = module.c.clients },
    ]
  })
}
