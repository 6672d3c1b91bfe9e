output "inventory" {
  description = "The inventory for the playbooks; copy the group variables of the example beside it."
  value = templatefile("${path.module}/../inventory.tftpl", {
    regions = [for region in var.regions : {
      name    = region.name
      servers = module.region[region.name].servers
      clients = module.region[region.name].clients
    }]
  })
}
